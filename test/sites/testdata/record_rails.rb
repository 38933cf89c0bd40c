# Records what Rails' router answers for the routes of an app: ruby record.rb NAME ROUTES.rb
require "action_dispatch"
require "json"
module Rails
  def self.application = @app ||= Struct.new(:routes, :config).new(ActionDispatch::Routing::RouteSet.new, Struct.new(:force_ssl).new(false))
  def self.env = Struct.new(:development?, :test?).new(false, true)
end
module Rails; class Railtie; end; end
module Redmine
  module Acts; module Attachable; class ObjectTypeConstraint; def self.matches?(r) = %w[issues versions news messages wiki_pages projects documents journals].include?(r.path_parameters[:object_type]); end; end; end
  class Plugin; def self.directory = Struct.new(:x) { def glob(*) = [] }.new; end
end
module MissionControl; module Jobs; class Engine; def self.call(env) = [200, {}, []]; end; end; end
module Sidekiq; class Web; def self.set(*) = nil; def self.call(env) = [200, {}, []]; end; end
module DiasporaFederation; class Engine; def self.call(env) = [404, {}, []]; end; end
AppConfig = Struct.new(:settings).new(Struct.new(:terms).new(Struct.new(:enable?).new(true)))
module Huginn; Application = Rails.application; end
class ActionDispatch::Routing::Mapper
  def use_doorkeeper(*) = nil # an engine's own routes
  def devise_for(*, **) = nil # those of another
  def devise_scope(*) = yield
  def api_version(options, &draw) = scope(options[:path][:value], as: "v1", &draw) # of the gem versionist
  prepend(Module.new do
    def mount(app, options = nil) = (super unless app == { DiasporaFederation::Engine => "/" }) # it passes on what it lacks
  end)
end
admin = Object.new
def admin.authenticate?(*) = true
def admin.user = self
def admin.admin? = true
name, file = ARGV
text = File.read(file)
eval(text.gsub(/^require .*/, ""), TOPLEVEL_BINDING, file)
set = Rails.application.routes
routes = set.routes.to_a
rows = routes.map.with_index do |r, i|
  requirements = r.requirements.reject { |k, _| %i[controller action].include?(k) }
  { "methods" => r.verb == "" ? [] : r.verb.split("|"), "path" => r.path.spec.to_s, "name" => r.name,
    "to" => r.defaults[:controller] ? "#{r.defaults[:controller]}##{r.defaults[:action]}" : r.app.app.class.name.split("::").last,
    "where" => requirements.reject { |k, v| !v.is_a?(Regexp) && r.defaults.key?(k) }.transform_values { |v| v.is_a?(Regexp) ? v.source : Regexp.escape(v) },
    "defaults" => r.defaults.reject { |k, _| %i[controller action].include?(k) }.transform_values { |v| v.is_a?(Regexp) ? v.source : v.to_s } }
end
# Values that fit a parameter, and some that do not.
def values(key, re)
  all = %w[7 12345 abc rose-1 a_b Ab.c 1.2.3 example.com a,b %C3%BCber %20x  new edit issues IssueImport txt html diff detailed 80 index]
  if re
    whole = Regexp.new("\\A(?:#{re.source})\\z")
    fit, other = all.partition { |v| whole.match?(v) }
    all = fit + other.first(2)
  end
  all
end
rng = Random.new(20261122)
requests = {}
ask = lambda do |method, path|
  requests["#{method} #{path}"] ||= [method, path]
end
def fill(spec, rng, re, take)
  # parentheses from the inside out
  while spec =~ /\(([^()]*)\)/
    spec = spec.sub(/\(([^()]*)\)/) { take.call ? $1 : "" }
  end
  spec.gsub(/([:*])(\w+)/) do
    v = values($2.to_sym, re[$2]).sample(random: rng)
    $1 == "*" ? [v, %w[a b.c d].sample(random: rng)].join("/") : v
  end
end
routes.each_with_index do |r, i|
  verbs = r.verb == "" ? %w[GET POST] : r.verb.split("|")
  re = rows[i]["where"].transform_keys(&:to_s).transform_values { |s| Regexp.new(s) }
  spec = r.path.spec.to_s
  verbs.each do |v|
    6.times { ask.(v, fill(spec, rng, re, -> { rng.rand < 0.5 })) }
    ask.(v, fill(spec.sub("(.:format)", ".json"), rng, re, -> { true }))
    ask.(v, fill(spec, rng, re, -> { false }) + "/")
    ask.(v, "/" + fill(spec, rng, re, -> { false }))
    ask.(v, fill(spec, rng, re, -> { false }) + "/extra")
    required = spec.dup
    nil while required.gsub!(/\([^()]*\)/, "")
    next unless required =~ /[:*]/
    %w[x%2Ey x%2Fy].each { |value| ask.(v, required.sub(/[:*]\w+/, value).gsub(/[:*]\w+/, "7")) }
  end
  ask.((%w[GET POST PUT PATCH DELETE HEAD] - verbs).sample(random: rng), fill(spec, rng, re, -> { rng.rand < 0.3 }))
end
ask.("GET", "/users/x%2Fy")
ask.("GET", "/search/x%2Fy")
recorded = requests.values.map do |method, path|
  env = Rack::MockRequest.env_for("/", method: method).merge("PATH_INFO" => path, "REQUEST_PATH" => path, "warden" => admin)
  req = ActionDispatch::Request.new(env)
  req.path_info = ActionDispatch::Journey::Router::Utils.normalize_path(req.path_info)
  found = nil
  begin
  set.router.recognize(req) do |route, params|
    req.path_parameters = params
    app = route.app
    if app.matches?(req)
      found = [routes.index(route), params.reject { |k, _| %i[controller action].include?(k) }.transform_values(&:to_s)]
      break
    end
  end
  rescue ActionController::BadRequest, ArgumentError, Encoding::CompatibilityError => e
    found = ["error", e.class.name]
  end
  { "method" => method, "path" => path, "route" => found ? found[0] : -1, "params" => found ? found[1] : {} }
end
puts JSON.pretty_generate("routes" => rows, "requests" => recorded)
