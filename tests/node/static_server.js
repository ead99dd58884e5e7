// hostFolder(FOLDER): a web server of its files, and of nothing else, as small as can be. Resolves to its address.
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");

const kTypes = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript",
  ".json": "application/json", ".wasm": "application/wasm" };

exports.hostFolder = (folder) => new Promise((resolve) => {
  const server = http.createServer((request, response) => {
    const name = path.normalize(decodeURIComponent(new URL(request.url, "http://host").pathname));
    const file = path.join(folder, name.endsWith("/") ? `${name}index.html` : name);
    if (!fs.existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": kTypes[path.extname(file)] ?? "application/octet-stream" });
    fs.createReadStream(file).pipe(response);
  });
  server.listen(0, "127.0.0.1", () => resolve({ url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() }));
});
