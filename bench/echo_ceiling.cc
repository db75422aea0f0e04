// The HTTP ceiling: how many requests one thread can answer that does nothing but HTTP. No database can be faster over
// the same protocol on the same machine.
//
//   echo_ceiling [PORT]        prints "listening on http://127.0.0.1:PORT"
//
// Every POST is parsed completely, with the parser that Trestle uses, and answered with 200. The path is the size of
// the reply's body: POST /330 returns 330 bytes. The headers are as many and as long as DynamoDB's. A connection is
// closed if a request asks for it; the whole reply must then fit into the socket's buffer.
#include <arpa/inet.h>
#include <fcntl.h>
#include <http_parser.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace {

constexpr size_t kReplyBytesMax = 4u << 20;

// Replies differ only in size, and a run requests the same size repeatedly.
const std::string& reply_of(size_t body_bytes, bool closes) {
  static std::string reply;
  static size_t bytes = SIZE_MAX;
  static bool closing = false;
  if (body_bytes != bytes || closes != closing) {
    bytes = body_bytes;
    closing = closes;
    reply =
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\n"
        "x-amzn-RequestId: 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEF\r\nx-amz-crc32: 2745614147\r\n" +
        std::string(closes ? "Connection: close\r\n" : "") + "Content-Length: " + std::to_string(body_bytes) +
        "\r\n\r\n";
    reply.append(body_bytes, 'x');
  }
  return reply;
}

struct Client {
  int descriptor;
  http_parser parser;
  size_t reply_bytes = 2;
  bool complete = false;
  bool closes = false;  // after the reply
  std::string unsent;
};

int on_url(http_parser* parser, const char* at, size_t length) {
  auto* client = static_cast<Client*>(parser->data);
  size_t bytes = 0;
  for (size_t i = 1; i < length && at[i] >= '0' && at[i] <= '9'; ++i)
    bytes = bytes * 10 + static_cast<size_t>(at[i] - '0');
  client->reply_bytes = std::min(bytes, kReplyBytesMax);
  return 0;
}

int on_message_complete(http_parser* parser) {
  auto* client = static_cast<Client*>(parser->data);
  client->complete = true;
  client->closes = http_should_keep_alive(parser) == 0;
  return 0;
}

const http_parser_settings kSettings = [] {
  http_parser_settings settings;
  http_parser_settings_init(&settings);
  settings.on_url = on_url;
  settings.on_message_complete = on_message_complete;
  return settings;
}();

void watch(int epoll, Client* client, int operation, bool writable) {
  epoll_event event{.events = EPOLLIN | (writable ? EPOLLOUT : 0u), .data = {.ptr = client}};
  epoll_ctl(epoll, operation, client->descriptor, &event);
}

// Returns false if the connection has ended.
bool send_reply(int epoll, Client& client, const std::string& reply) {
  const ssize_t sent = send(client.descriptor, reply.data(), reply.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) return false;
  const size_t done = sent < 0 ? 0 : static_cast<size_t>(sent);
  if (done < reply.size()) {
    client.unsent = reply.substr(done);
    watch(epoll, &client, EPOLL_CTL_MOD, true);
  }
  return true;
}

bool on_ready(int epoll, Client& client, uint32_t events) {
  if (events & EPOLLOUT) {
    const std::string rest = std::move(client.unsent);
    client.unsent.clear();
    watch(epoll, &client, EPOLL_CTL_MOD, false);
    if (!send_reply(epoll, client, rest)) return false;
  }
  if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR))) return true;
  static std::array<char, 64u << 10> buffer;
  const ssize_t received = recv(client.descriptor, buffer.data(), buffer.size(), 0);
  if (received <= 0) return received < 0 && errno == EAGAIN;
  const auto bytes = static_cast<size_t>(received);
  if (http_parser_execute(&client.parser, &kSettings, buffer.data(), bytes) != bytes) return false;
  if (!client.complete) return true;
  client.complete = false;
  return send_reply(epoll, client, reply_of(client.reply_bytes, client.closes)) && !client.closes;
}

void accept_client(int epoll, int listener) {
  const int descriptor = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (descriptor < 0) return;
  const int one = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  auto* client = new Client{.descriptor = descriptor, .parser = {}, .unsent = {}};
  http_parser_init(&client->parser, HTTP_REQUEST);
  client->parser.data = client;
  watch(epoll, client, EPOLL_CTL_ADD, false);
}

int listen_on(uint16_t port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int one = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener, 1024) != 0) {
    std::perror("echo_ceiling");
    std::exit(1);
  }
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  std::printf("listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  return listener;
}

}  // namespace

int main(int argc, char** argv) {
  const int listener = listen_on(static_cast<uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0));
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  epoll_event listening{.events = EPOLLIN, .data = {.ptr = nullptr}};
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &listening);
  std::array<epoll_event, 256> events;
  while (true) {
    const int ready = epoll_wait(epoll, events.data(), events.size(), -1);
    for (int i = 0; i < ready; ++i) {
      auto* client = static_cast<Client*>(events[i].data.ptr);
      if (client == nullptr) {
        accept_client(epoll, listener);
      } else if (!on_ready(epoll, *client, events[i].events)) {
        close(client->descriptor);
        delete client;
      }
    }
  }
}
