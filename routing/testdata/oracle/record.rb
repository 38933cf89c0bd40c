# Records what Mustermann and Rails answer for random patterns and paths, for TestRecordedPatterns.
#
#   ruby record.rb > recorded.json
#
# Needs the gems mustermann and actionpack; Debian has them as ruby-mustermann and ruby-actionpack.
require "json"
require "mustermann"
require "action_dispatch"
require "rack/mock"

random = Random.new(25)
pick = ->(list) { list[random.rand(list.size)] }

# A path of a few segments.
path = lambda do
  text = Array.new(1 + random.rand(3)) { "/" + Array.new(random.rand(4)) { pick[%w[a b c x a b - . 1 23 new]] }.join }.join
  text = text.gsub(%r{/\.+(?=/|\z)}, "/a") # dot segments are for clients
  pick[[true, true, true, false]] ? text.gsub(%r{//+}, "/") : text
end

# Part of a Sinatra pattern, at most so deep.
names = nil
name = ->(prefix) { "#{prefix}#{names = names.next}" }
sinatra = lambda do |depth|
  piece = lambda do
    case random.rand(depth > 0 ? 16 : 11)
    when 0..2 then pick[%w[/a /b /new /a.b /x-1]]
    when 3..4 then "/:" + name[""]
    when 5 then "/{" + name[""] + "}"
    when 6 then pick[["/*", "/*" + name[""], "/{+" + name[""] + "}"]]
    when 7 then pick[%w[. - /]] + ":" + name[""]
    when 8 then pick[%w[a b .c -]] + "?"
    when 9 then "/?"
    when 10 then pick[[".?:" + name[""] + "?", "(.:" + name[""] + ")?", "(-:" + name[""] + ")?"]]
    when 11..12 then "(" + sinatra[depth - 1] + ")?"
    when 13 then "(" + sinatra[depth - 1] + ")"
    else "(" + sinatra[depth - 1] + "|" + sinatra[depth - 1] + ")"
    end
  end
  Array.new(1 + random.rand(3)) { piece[] }.join
end

rails = lambda do |depth|
  piece = lambda do
    case random.rand(depth > 0 ? 12 : 8)
    when 0..2 then pick[%w[/a /b /new /x-1]]
    when 3..5 then "/:" + name[""]
    when 6 then "/*" + name[""]
    when 7 then pick[["-:" + name[""], "(.:" + name[""] + ")"]]
    when 8..9 then "(" + rails[depth - 1] + ")"
    when 10 then "/(" + rails[depth - 1].delete_prefix("/") + ")"
    else "/(:" + name[""] + ")"
    end
  end
  Array.new(1 + random.rand(3)) { piece[] }.join
end

# Lists of values by name, without those that took no part.
lists = lambda do |params|
  params&.transform_values { |v| Array(v).compact }&.reject { |_, v| v.empty? }
end

sinatra_patterns = Array.new(600) do
  names = "k"
  text = "/a" * random.rand(2) + sinatra[2]
  text = "/" + text unless text.start_with?("/", "(")
  matcher = Mustermann.new(text, type: :sinatra) rescue next
  { pattern: text, paths: Array.new(10) { path[] }.uniq.map { |p| [p, lists[matcher.params(p)]] } }
end

classes = ["[0-9]+", "[a-z]+", "[^/]+", "[^/]+?", "[a-z]{1}", "new|[0-9]+"]
rails_patterns = Array.new(600) do
  names = "k"
  text = rails[2]
  text = "/" + text unless text.start_with?("/", "(")
  where = {}
  used = text.scan(/:(\w+)/).flatten
  where[pick[used]] = pick[classes] if used.any? && random.rand(3) == 0
  answer = nil
  set = ActionDispatch::Routing::RouteSet.new
  begin
    set.draw { get text, to: "c#a", constraints: where.to_h { |k, v| [k.to_sym, Regexp.new(v)] } }
  rescue StandardError, SyntaxError
    next
  end
  { pattern: text, where: where, paths: Array.new(10) { path[] }.uniq.map do |p|
    answer = nil
    set.router.recognize(ActionDispatch::Request.new(Rack::MockRequest.env_for("http://x" + ActionDispatch::Journey::Router::Utils.normalize_path(p)))) { |_, params| answer ||= params }
    [p, lists[answer&.except(:controller, :action)]]
  end }
end

puts JSON.generate(
  recorded_with: { ruby: RUBY_VERSION, mustermann: Gem.loaded_specs["mustermann"].version.to_s, actionpack: ActionPack::VERSION::STRING },
  sinatra: sinatra_patterns.compact, rails: rails_patterns.compact
).gsub("{\"pattern\"", "\n{\"pattern\"")
