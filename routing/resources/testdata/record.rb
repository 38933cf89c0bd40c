# Writes the routes that Rails makes of routes.rb, a line each: ruby record.rb >routes.txt
# (Debian's packages ruby-actionpack 6.1.7.10).
require "action_dispatch"
module Rails
  class Railtie; end
  def self.application = @application ||= Struct.new(:routes).new(ActionDispatch::Routing::RouteSet.new)
end
load File.join(__dir__, "routes.rb")
Rails.application.routes.routes.each do |route|
  where = route.requirements.select { |_, value| value.is_a?(Regexp) }.map { |key, value| " #{key}=#{value.source}" }.sort.join
  route.verb.split("|").each_with_index do |verb, i|
    puts "#{verb} #{route.path.spec.to_s.delete_suffix("(.:format)")} #{i.zero? && route.name || "-"}#{where}"
  end
end
