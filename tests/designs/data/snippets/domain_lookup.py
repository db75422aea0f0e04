import json
import sys

import document

# The lookup uses what the document imports further up.
manager = document.run("sharding", "domain_lookup")["DomainLookupManager"](document.client())
print(json.dumps([manager.lookup_tenant_by_domain(domain) for domain in sys.argv[1:]]))
