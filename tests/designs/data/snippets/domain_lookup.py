import json
import sys

import document

# The document imports the lookup's modules in an earlier program.
manager = document.run("sharding", "domain_lookup")["DomainLookupManager"](document.client())
print(json.dumps([manager.lookup_tenant_by_domain(domain) for domain in sys.argv[1:]]))
