require "sinatra/base"
require "json"
require "stringio"
GOLLUM = [["", [
  ["GET", "/"], ["GET", "/gollum/feed/"], ["GET", "/gollum/assets/mathjax/*"], ["GET", "/gollum/assets/*"], ["GET", "/gollum/last_commit_info"],
  ["GET", "/gollum/octicon/:name"], ["GET", "/gollum/emoji/:name"], ["GET", "/gollum/data/*"],
  ["GET", %r{/gollum/(edit|create)/(\.redirects.gollum|(custom|math\.config)\.(js|css))}],
  ["POST", %r{/gollum/(delete|rename|edit|create)/(\.redirects.gollum|(custom|math\.config)\.(js|css))}],
  ["POST", %r{/gollum/revert/(\.redirects.gollum|(custom|math\.config\.)\.(js|css)/.*/.*)}],
  ["GET", "/gollum/edit/*"], ["POST", "/gollum/upload_file"], ["POST", "/gollum/rename/*"], ["POST", "/gollum/edit/*"], ["POST", "/gollum/delete/*"],
  ["GET", "/gollum/create/*"], ["POST", "/gollum/create"], ["POST", "/gollum/revert/*/:sha1/:sha2"], ["POST", "/gollum/preview"],
  ["GET", %r{/gollum/history/(.+?)/([0-9a-f]{40})}], ["GET", "/gollum/history/*"], ["GET", "/gollum/latest_changes"],
  ["GET", %r{/gollum/compare/(.+)/([^.]+)\.{2,3}(.+)}], ["GET", "/gollum/compare/*"], ["GET", %r{/gollum/commit/(\w+)}], ["GET", "/gollum/search"],
  ["GET", %r{/gollum/overview(?:/(.+))?}], ["GET", %r{/(.+?)/([0-9a-f]{40})}], ["GET", '/\.redirects\.gollum'], ["GET", "/*"]]]]
PROXY = {
  "/bmc" => ["GET /", "GET /providers", "GET /providers/installed", "GET /host", "GET /:host", "GET /:host/test", "GET /:host/chassis",
    "GET /:host/chassis/power/?:action?", "GET /:host/lan/?:action?", "GET /:host/chassis/identify/?:action?", "GET /:host/chassis/config/?:function?",
    "PUT /:host/chassis/power/?:action?", "PUT /:host/chassis/config/?:function?/?:action?", "PUT /:host/chassis/identify/?:action?",
    "GET /:host/fru/?:action?", "GET /:host/bmc/?:action?", "PUT /:host/bmc/?:action?", "GET /:host/sensors/?:action?/?:sensor?"],
  "/dhcp" => ["GET /?", "GET /:network", "GET /:network/unused_ip", "GET /:network/ip/:ip_address", "GET /:network/mac/:mac_address", "POST /:network",
    "DELETE /:network/ip/:ip_address", "DELETE /:network/mac/:mac_address"],
  "/dns" => ["POST /?", "DELETE /:value/?:type?"],
  "/facts" => ["GET /?", "GET /:fact"],
  "/httpboot" => ["GET /*"],
  "/logs" => ["GET /"],
  "/puppet" => ["POST /run", "GET /environments", "GET /environments/:environment", "GET /environments/:environment/classes", "GET /environments/:environment/classes_and_errors"],
  "/puppet/ca" => ["GET /?", "GET /autosign", "POST /autosign/:certname", "POST /validate", "DELETE /autosign/:certname", "POST /:certname", "DELETE /:certname"],
  "/realm" => ["POST /:realm/?", "DELETE /:realm/:hostname/?"],
  "/register" => ["GET /", "POST /"],
  "/v2" => ["GET /features"],
  "/unattended" => ["GET /templateServer", "GET /:kind/:template/:hostgroup", "GET /:kind", "POST /:kind"],
  "/userdata" => ["GET /:kind"],
  "/tftp" => ["POST /fetch_boot_file", "POST /:variant/create_default", "GET /:variant/:mac", "POST /:variant/:mac", "DELETE /:variant/:mac", "POST /create_default", "POST /:mac", "GET /serverName"],
}.map { |prefix, routes| [prefix, routes.map(&:split)] }
VALUES = %w[rose 7 a.b a-b_c a%20b %C3%BC a+b  0123456789abcdef0123456789abcdef01234567 new 00:11:22:33:44:55 192.168.1.2 edit A host status]
def record(name, apps)
  rng = Random.new(20261122)
  all, requests = [], {}
  apps.each do |prefix, routes|
    app = Class.new(Sinatra::Base) do
      set :environment, :production
      disable :protection, :show_exceptions, :logging
      routes.each_with_index do |(method, pattern), i|
        send(method.downcase, pattern) { JSON.generate([i, params.to_h]) }
      end
    end
    all << { "prefix" => prefix, "routes" => routes.map { |m, p| p.is_a?(Regexp) ? { "method" => m, "regexp" => p.source } : { "method" => m, "pattern" => p } } }
    paths = ["/", "", "//", "/rose", "/rose/", "/a/b/c"]
    routes.each do |method, pattern|
      8.times do
        text = pattern.is_a?(Regexp) ? pattern.source.gsub(/\((?:\?:)?([\w.\\]+\|)?.*?\)\??/) { VALUES.sample(random: rng) }.gsub(/\\?\.?\{2,3\}/, "...").gsub(/[\\^$+?*()\[\]{}|]/, "") : pattern
        text = text.gsub(/\/\?:\w+\?/) { rng.rand < 0.6 ? "/#{VALUES.sample(random: rng)}" : "" }.gsub(/\/\?/) { rng.rand < 0.5 ? "/" : "" }
        text = text.gsub(/:\w+/) { VALUES.sample(random: rng) }.gsub("*") { (1 + rng.rand(3)).times.map { VALUES.sample(random: rng) }.join("/") }.gsub("\\", "")
        paths << text
        paths << text + "/" << text + "/extra" if rng.rand < 0.2
      end
    end
    paths.push("/gollum/edit/custom.js", "/gollum/create/math.config.css", "/gollum/history/a/b/#{"a" * 40}", "/gollum/compare/a/b/123...456", "/gollum/overview", "/gollum/overview/", "/gollum/overview/a/b", "/gollum/commit/abc", "/gollum/commit/a-c", "/x/#{"0" * 40}", "/x/#{"0" * 41}", "/.redirects.gollum", "/xredirectsxgollum") if prefix.empty?
    paths.push("/x%2Fy") if ["", "/bmc"].include?(prefix)
    paths.uniq.each do |path|
      (%w[GET POST PUT DELETE HEAD] & (routes.map(&:first).uniq + ["HEAD"])).each do |method|
        status, _, body = app.call("REQUEST_METHOD" => method, "PATH_INFO" => path, "SCRIPT_NAME" => prefix, "QUERY_STRING" => "", "SERVER_NAME" => "x", "SERVER_PORT" => "80",
          "rack.input" => StringIO.new, "rack.errors" => StringIO.new, "rack.url_scheme" => "http", "HTTP_HOST" => "x")
        text = +""
        body.each { |part| text << part }
        next if method == "HEAD" && status == 200 # has no body to tell the route
        found = status == 200 ? JSON.parse(text) : [-1, {}]
        raise "#{status} #{method} #{path} #{text}" unless [200, 404, 400].include?(status)
        found[1].delete("splat") if found[1]["splat"] == []
        requests[[prefix, method, path]] = { "method" => method, "path" => prefix + path, "app" => apps.index { |p, _| p == prefix }, "route" => found[0], "params" => found[1] }
      end
    end
  end
  File.write("#{name}.json", JSON.pretty_generate("apps" => all, "requests" => requests.values))
  puts "#{name}: #{requests.size} requests, #{requests.values.count { |r| r["route"] >= 0 }} routed"
end
record("gollum", GOLLUM)
record("smart-proxy", PROXY)
