import json
import sys
from datetime import datetime
from decimal import Decimal

import document

programs = document.run("sharding", "compression")


class Sharding(programs["FormBridgeShardingStrategy"]):
    """Adds the method that the document calls but does not print."""

    def _get_tenant_shard_config(self, tenant_id):
        return {"shard_count": 1}


tenant, submission = sys.argv[1:]
timestamp = datetime.utcnow().isoformat()
item = {**Sharding(document.client()).create_submission_key(tenant, submission, timestamp),
        **programs["PayloadCompressionManager"]().process_payload({"text": "x" * 5000}),
        "submission_id": submission, "form_id": "contact", "status": "PENDING", "timestamp": timestamp}
document.client().put_item(TableName="FormBridgeData", Item=json.loads(json.dumps(item), parse_float=Decimal))
