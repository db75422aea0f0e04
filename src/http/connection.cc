#include "http/connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace trestle::http {

namespace {

bool set_blocking(int descriptor, bool blocking) { return fcntl(descriptor, F_SETFL, blocking ? 0 : O_NONBLOCK) == 0; }

// Connects the socket. Returns 0 or the errno of the failure.
int connect_within(int descriptor, const addrinfo& address, int64_t timeout_ms) {
  if (timeout_ms == 0) return connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
  if (!set_blocking(descriptor, false)) return errno;
  if (connect(descriptor, address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return errno;
    pollfd waiting{.fd = descriptor, .events = POLLOUT, .revents = 0};
    if (poll(&waiting, 1, static_cast<int>(timeout_ms)) <= 0) return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
    if (error != 0) return error;
  }
  return set_blocking(descriptor, true) ? 0 : errno;
}

void set_transfer_timeout(int descriptor, int64_t timeout_ms) {
  const timeval wait{.tv_sec = timeout_ms / 1000, .tv_usec = timeout_ms % 1000 * 1000};
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
}

Result<int> connect_socket(const Endpoint& endpoint, int64_t timeout_ms) {
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
    error = connect_within(descriptor, *address, timeout_ms);
    if (error == 0) return descriptor;
    close(descriptor);
  }
  return fail(fmt::format("{}:{}: {}", endpoint.host, endpoint.port, std::strerror(error)));
}

// The system's file of certificate authorities, if it is not where OpenSSL was compiled to look. A self-contained
// program was compiled with Debian's paths but runs on other systems too. Empty: OpenSSL finds the file, or there is
// none.
std::string system_ca_file() {
  const auto exists = [](const char* path) { return path != nullptr && access(path, R_OK) == 0; };
  if (std::getenv(X509_get_default_cert_file_env()) || std::getenv(X509_get_default_cert_dir_env())) return {};
  if (exists(X509_get_default_cert_file()) || exists(X509_get_default_cert_dir())) return {};
  for (const char* path : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem"}) {
    if (exists(path)) return path;
  }
  return {};
}

std::string tls_error() {
  char text[256];
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  return text;
}

}  // namespace

Result<std::shared_ptr<SSL_CTX>> make_tls(const Endpoint& endpoint, bool verify, const std::string& ca_file) {
  if (!endpoint.tls) return std::shared_ptr<SSL_CTX>{};
  std::shared_ptr<SSL_CTX> tls(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (tls == nullptr) return fail("TLS: " + tls_error());
  SSL_CTX_set_mode(tls.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (verify) {
    const std::string file = ca_file.empty() ? system_ca_file() : ca_file;
    const int known = file.empty() ? SSL_CTX_set_default_verify_paths(tls.get())
                                   : SSL_CTX_load_verify_locations(tls.get(), file.c_str(), nullptr);
    if (known != 1) return fail("TLS: " + tls_error());
    SSL_CTX_set_verify(tls.get(), SSL_VERIFY_PEER, nullptr);
  }
  return tls;
}

Result<Connection> Connection::open(const Endpoint& endpoint, SSL_CTX* tls, const ConnectionTimeouts& timeouts) {
  TRY_INTO(const int descriptor, connect_socket(endpoint, timeouts.connect_ms));
  Connection connection(descriptor);
  const int one = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (timeouts.transfer_ms != 0) set_transfer_timeout(descriptor, timeouts.transfer_ms);
  if (tls != nullptr) TRY(connection.begin_tls(endpoint, tls));
  if (timeouts.transfer_ms == 0 && !set_blocking(descriptor, false)) return fail(std::strerror(errno));
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
  ssize_t bytes;
  do bytes = recv(descriptor_, out, capacity, 0);
  while (bytes < 0 && errno == EINTR);
  if (bytes > 0) return {End::kDone, static_cast<size_t>(bytes)};
  if (bytes < 0 && errno == EAGAIN) return {End::kBlocked, 0};
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
  ssize_t written;
  do written = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  while (written < 0 && errno == EINTR);
  if (written >= 0) return {End::kDone, static_cast<size_t>(written)};
  if (errno == EAGAIN) return {End::kBlocked, 0};
  return {End::kClosed, 0};
}

// Under TLS an unread session ticket may be pending; that does not make a connection stale, but the end of the stream
// does.
bool Connection::is_stale() const {
  char byte;
  const ssize_t bytes = recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (bytes < 0) return errno != EAGAIN && errno != EINTR;
  return bytes == 0 || ssl_ == nullptr;
}

}  // namespace trestle::http
