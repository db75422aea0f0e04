#include "server/http/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/check.h"

namespace trestle {

namespace {

std::string last_openssl_error() {
  char text[256] = "unknown error";
  if (const unsigned long code = ERR_peek_error()) ERR_error_string_n(code, text, sizeof text);
  ERR_clear_error();
  return text;
}

// Only HTTP/1.1 is supported; a client that offers only other protocols gets no ALPN reply rather than an error.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                    unsigned int in_size, void*) {
  static constexpr unsigned char kOurs[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kOurs, sizeof kOurs - 1, in, in_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

BasicResult<std::shared_ptr<TlsContext>, std::string> TlsContext::load(const std::string& certificate_file,
                                                                       const std::string& key_file) {
  SSL_CTX* raw = SSL_CTX_new(TLS_server_method());
  CHECK(raw != nullptr);
  std::shared_ptr<TlsContext> context(new TlsContext(raw));
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_mode(raw, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(raw, 1);  // a record with its header, in one read
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_alpn_select_cb(raw, choose_protocol, nullptr);
  if (SSL_CTX_use_certificate_chain_file(raw, certificate_file.c_str()) != 1) {
    return std::unexpected("certificate " + certificate_file + ": " + last_openssl_error());
  }
  if (SSL_CTX_use_PrivateKey_file(raw, key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return std::unexpected("key " + key_file + ": " + last_openssl_error());
  }
  if (SSL_CTX_check_private_key(raw) != 1) {
    return std::unexpected("key " + key_file + " does not belong to certificate " + certificate_file);
  }
  return context;
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

// Like OpenSSL's own socket BIO, except that it knows when it has read everything, which saves a read for each request.
BIO_METHOD* TlsStream::socket_method() {
  static BIO_METHOD* const method = [] {
    const auto read = [](BIO* bio, char* data, int size) {
      auto* socket = static_cast<Socket*>(BIO_get_data(bio));
      BIO_clear_retry_flags(bio);
      ssize_t n;
      do n = recv(socket->fd, data, static_cast<size_t>(size), 0);
      while (n < 0 && errno == EINTR);
      socket->drained = n < size;
      socket->ended = n == 0;
      if (n < 0 && errno == EAGAIN) BIO_set_retry_read(bio);
      return static_cast<int>(n);
    };
    const auto write = [](BIO* bio, const char* data, int size) {
      const auto* socket = static_cast<const Socket*>(BIO_get_data(bio));
      BIO_clear_retry_flags(bio);
      ssize_t n;
      do n = send(socket->fd, data, static_cast<size_t>(size), MSG_NOSIGNAL);
      while (n < 0 && errno == EINTR);
      if (n < 0 && errno == EAGAIN) BIO_set_retry_write(bio);
      return static_cast<int>(n);
    };
    BIO_METHOD* bio_method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "socket");
    CHECK(bio_method != nullptr);
    BIO_meth_set_read(bio_method, read);
    BIO_meth_set_write(bio_method, write);
    BIO_meth_set_ctrl(bio_method, [](BIO* bio, int command, long, void*) -> long {
      if (command == BIO_CTRL_EOF) return static_cast<const Socket*>(BIO_get_data(bio))->ended ? 1 : 0;
      return command == BIO_CTRL_FLUSH ? 1 : 0;
    });
    return bio_method;
  }();
  return method;
}

TlsStream::TlsStream(const TlsContext& context, int fd) : socket_{.fd = fd}, ssl_(SSL_new(context.context_)) {
  BIO* bio = BIO_new(socket_method());
  CHECK(ssl_ != nullptr && bio != nullptr);
  BIO_set_data(bio, &socket_);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);  // owned by ssl_
  SSL_set_accept_state(ssl_);
}

TlsStream::~TlsStream() { SSL_free(ssl_); }

bool TlsStream::is_drained() const { return socket_.drained && SSL_has_pending(ssl_) == 0; }

bool TlsStream::handshake_done() const { return SSL_is_init_finished(ssl_) != 0; }

ssize_t TlsStream::read(char* data, size_t size) {
  ERR_clear_error();
  return outcome(SSL_read(ssl_, data, static_cast<int>(std::min<size_t>(size, INT_MAX))));
}

ssize_t TlsStream::write(const char* data, size_t size) {
  ERR_clear_error();
  const ssize_t n = outcome(SSL_write(ssl_, data, static_cast<int>(std::min<size_t>(size, INT_MAX))));
  if (n != 0) return n;
  errno = EPROTO;  // the peer has ended the stream
  return -1;
}

void TlsStream::shut_down() {
  ERR_clear_error();
  if (handshake_done()) SSL_shutdown(ssl_);
  ERR_clear_error();
}

ssize_t TlsStream::outcome(int code) {
  if (code > 0) return code;
  switch (SSL_get_error(ssl_, code)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      errno = EAGAIN;
      return -1;
    case SSL_ERROR_ZERO_RETURN:
      return 0;
    default:
      ERR_clear_error();
      errno = EPROTO;
      return -1;
  }
}

}  // namespace trestle
