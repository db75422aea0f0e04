import hashlib
import json
import sys

import boto3


class DomainLookupManager:
    def __init__(self, dynamodb_client):
        self.dynamodb = dynamodb_client
        self.table_name = "FormBridgeData"

    def lookup_tenant_by_domain(self, domain):
        domain_hash = hashlib.sha256(domain.encode()).hexdigest()[:16]
        response = self.dynamodb.get_item(
            TableName=self.table_name,
            Key={
                'PK': f'DOMAIN#{domain_hash}',
                'SK': f'LOOKUP#{domain}'
            }
        )
        return response.get('Item')


client = boto3.resource('dynamodb', region_name='us-east-1').meta.client
print(json.dumps([DomainLookupManager(client).lookup_tenant_by_domain(domain) for domain in sys.argv[1:]]))
