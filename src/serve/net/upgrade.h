// From HTTP to WebSocket on the same connection. Includes Boost, as parts.h does.
#pragma once

#include <string>

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "serve/net/parts.h"

namespace voxport {

using UpgradeRequest = boost::beast::http::request<boost::beast::http::string_body>;

// `protocol` is the one that the server chooses of those that the client offers; may be empty.
void start_websocket(tcp_stream stream, const UpgradeRequest& request, const std::string& protocol,
                     const SessionFactory& factory, const Ground& ground);

}  // namespace voxport
