import json
import sys

import document

manager = document.run("metrics")["MetricsAggregationManager"](document.client())
print(json.dumps(manager.get_dashboard_metrics(sys.argv[1]), default=int))
