#include "bench/connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace trestle::bench {

namespace {

Result<int> connect_socket(const Endpoint& endpoint) {
  const addrinfo hints{.ai_flags = AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(endpoint.host.c_str(), fmt::format("{}", endpoint.port).c_str(), &hints, &found)) {
    return fail(fmt::format("{}: {}", endpoint.host, gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  int error = ECONNREFUSED;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    const int descriptor = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) {
      error = errno;
      continue;
    }
    if (connect(descriptor, address->ai_addr, address->ai_addrlen) == 0) return descriptor;
    error = errno;
    close(descriptor);
  }
  return fail(fmt::format("{}:{}: {}", endpoint.host, endpoint.port, std::strerror(error)));
}

std::string tls_error() {
  char text[256];
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  return text;
}

}  // namespace

Result<std::shared_ptr<SSL_CTX>> make_tls(const Endpoint& endpoint, bool verify) {
  if (!endpoint.tls) return std::shared_ptr<SSL_CTX>{};
  std::shared_ptr<SSL_CTX> tls(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (tls == nullptr) return fail("TLS: " + tls_error());
  SSL_CTX_set_mode(tls.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (verify) {
    if (SSL_CTX_set_default_verify_paths(tls.get()) != 1) return fail("TLS: " + tls_error());
    SSL_CTX_set_verify(tls.get(), SSL_VERIFY_PEER, nullptr);
  }
  return tls;
}

Result<Connection> Connection::open(const Endpoint& endpoint, SSL_CTX* tls) {
  TRY_INTO(const int descriptor, connect_socket(endpoint));
  Connection connection(descriptor);
  const int one = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (tls != nullptr) TRY(connection.begin_tls(endpoint, tls));
  if (fcntl(descriptor, F_SETFL, O_NONBLOCK) != 0) return fail(std::strerror(errno));
  return connection;
}

Result<void> Connection::begin_tls(const Endpoint& endpoint, SSL_CTX* tls) {
  ssl_ = SSL_new(tls);
  if (ssl_ == nullptr) return fail("TLS: " + tls_error());
  SSL_set_fd(ssl_, descriptor_);
  SSL_set_tlsext_host_name(ssl_, endpoint.host.c_str());
  SSL_set1_host(ssl_, endpoint.host.c_str());
  if (SSL_connect(ssl_) != 1) return fail(fmt::format("{}: TLS: {}", endpoint.host, tls_error()));
  return {};
}

Connection::Connection(Connection&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), ssl_(std::exchange(other.ssl_, nullptr)) {}

Connection& Connection::operator=(Connection&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(ssl_, other.ssl_);
  return *this;
}

Connection::~Connection() {
  SSL_free(ssl_);
  if (descriptor_ >= 0) close(descriptor_);
}

Connection::Transfer Connection::read(char* out, size_t capacity) {
  if (ssl_ != nullptr) {
    size_t bytes = 0;
    if (SSL_read_ex(ssl_, out, capacity, &bytes) == 1) return {End::kDone, bytes};
    const int error = SSL_get_error(ssl_, 0);
    ERR_clear_error();
    return {error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? End::kBlocked : End::kClosed, 0};
  }
  const ssize_t bytes = recv(descriptor_, out, capacity, 0);
  if (bytes > 0) return {End::kDone, static_cast<size_t>(bytes)};
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return {End::kBlocked, 0};
  return {End::kClosed, 0};
}

Connection::Transfer Connection::write(std::string_view bytes) {
  if (ssl_ != nullptr) {
    size_t written = 0;
    if (SSL_write_ex(ssl_, bytes.data(), bytes.size(), &written) == 1) return {End::kDone, written};
    const int error = SSL_get_error(ssl_, 0);
    ERR_clear_error();
    return {error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? End::kBlocked : End::kClosed, 0};
  }
  const ssize_t written = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (written >= 0) return {End::kDone, static_cast<size_t>(written)};
  if (errno == EAGAIN || errno == EINTR) return {End::kBlocked, 0};
  return {End::kClosed, 0};
}

}  // namespace trestle::bench
