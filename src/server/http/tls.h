// TLS for the server's connections, using OpenSSL.
//
// A TlsContext is created once from a certificate chain and key (PEM files) and shared by all threads. A TlsStream is
// the TLS state of one connection over a non-blocking socket that it does not own; it belongs to the connection's
// thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"

using BIO_METHOD = struct bio_method_st;
using SSL = struct ssl_st;
using SSL_CTX = struct ssl_ctx_st;

namespace trestle {

class TlsContext {
 public:
  // The error names the file and the reason.
  static BasicResult<std::shared_ptr<TlsContext>, std::string> load(const std::string& certificate_file,
                                                                    const std::string& key_file);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

 private:
  friend class TlsStream;
  explicit TlsContext(SSL_CTX* context) : context_(context) {}
  SSL_CTX* context_;
};

class TlsStream {
 public:
  TlsStream(const TlsContext& context, int fd);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // Like read() and send(): return the bytes transferred, 0 at end of stream, or -1 with errno EAGAIN (wait for either
  // direction) or EPROTO. The handshake happens inside the first reads.
  ssize_t read(char* data, size_t size);
  ssize_t write(const char* data, size_t size);
  // Sends close_notify.
  void shut_down();
  bool handshake_done() const;
  // After a read that returned bytes: whether no more are buffered, here or in the socket, until it becomes readable
  // again.
  bool is_drained() const;

 private:
  ssize_t outcome(int code);

  struct Socket {
    int fd;
    bool drained = false;  // the last read got less than it requested
    bool ended = false;    // the peer sends no more
  };
  static BIO_METHOD* socket_method();

  Socket socket_;
  SSL* ssl_;
};

}  // namespace trestle
