import json,sys
# Writes the recorded answers a request a line: python3 compact.py FOLDER/
out=sys.argv[1]
dump=lambda x: json.dumps(x,ensure_ascii=False,separators=(',',':'))
src={'lobsters':('https://github.com/lobsters/lobsters','57268d762e1c2c95b7a8e64ee8deb259cddd8cc0','MIT-style (3-clause BSD)','Rails 6.1.7.10'),
'redmine':('https://github.com/redmine/redmine','890812e49cc60e96c7c252b7dedbd881a4edba55','GPL-2.0-or-later','Rails 6.1.7.10'),
'diaspora':('https://github.com/diaspora/diaspora','ea6c79a94cb2e3d73e3fe28cd81fa09c5c437cb8','AGPL-3.0-or-later','Rails 6.1.7.10'),
'huginn':('https://github.com/huginn/huginn','9faad4aeee0d97570693377e0a281567e775abb4','MIT','Rails 6.1.7.10'),
'gollum':('https://github.com/gollum/gollum','d00fefc89be0ab22ab862a51299120a55ccd9280','MIT','Sinatra 3.0.5, Mustermann 3.0.0'),
'smart-proxy':('https://github.com/theforeman/smart-proxy','e8fe59f83843ca619264e8d4757bc99fcde93fa9','GPL-3.0-or-later','Sinatra 3.0.5, Mustermann 3.0.0')}
for n,(url,commit,lic,by) in src.items():
    d=json.load(open(n+'.json'))
    apps=d.get('apps') or [{'prefix':'','routes':[{'methods':r['methods'],'pattern':r['path'],**({'where':r['where']} if r['where'] else {}),**({'defaults':r['defaults']} if r['defaults'] else {})} for r in d['routes']]}]
    for a in apps:
        for r in a['routes']:
            if 'method' in r: r['methods']=[r.pop('method')]
    with open(out+n+'.json','w') as f:
        f.write('{"source":%s,"commit":%s,"licence":%s,"answeredBy":%s,\n"apps":[\n'%(dump(url),dump(commit),dump(lic),dump(by)))
        f.write(',\n'.join('{"prefix":%s,"routes":[\n%s]}'%(dump(a['prefix']),',\n'.join(dump(r) for r in a['routes'])) for a in apps))
        f.write('],\n"requests":[\n')
        f.write(',\n'.join(dump([r['method'],r['path'],r.get('app',0),r['route'],r['params']]) for r in d['requests']))
        f.write(']}\n')
    json.load(open(out+n+'.json'))
