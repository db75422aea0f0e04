import base64
import gzip
import json
import sys
from datetime import datetime
from decimal import Decimal

import boto3


class PayloadCompressionManager:
    COMPRESSION_THRESHOLD = 1024
    TARGET_COMPRESSION_RATIO = 0.7

    def process_payload(self, payload):
        payload_json = json.dumps(payload, separators=(',', ':'))
        payload_size = len(payload_json.encode('utf-8'))
        if payload_size < self.COMPRESSION_THRESHOLD:
            return {"data": payload, "compressed": False, "original_size": payload_size, "storage_size": payload_size}
        compressed_data = gzip.compress(payload_json.encode('utf-8'))
        compression_ratio = len(compressed_data) / payload_size
        if compression_ratio < self.TARGET_COMPRESSION_RATIO:
            return {
                "data": base64.b64encode(compressed_data).decode('utf-8'),
                "compressed": True,
                "compression_algorithm": "gzip",
                "original_size": payload_size,
                "storage_size": len(compressed_data),
                "compression_ratio": compression_ratio
            }
        return {"data": payload, "compressed": False, "original_size": payload_size, "storage_size": payload_size,
                "compression_note": "poor_compression_ratio"}


tenant_id, submission_id = sys.argv[1:]
timestamp = datetime.utcnow().isoformat()
item = {'PK': f'TENANT#{tenant_id}#0', 'SK': f'SUB#{submission_id}', 'GSI1PK': f'TENANT#{tenant_id}', 'GSI1SK': f'TS#{timestamp}',
        'GSI2PK': f'TENANT#{tenant_id}#STATUS', 'GSI2SK': f'PENDING#{timestamp}', 'tenant_id': tenant_id,
        'submission_id': submission_id, 'form_id': 'contact', 'status': 'PENDING', 'timestamp': timestamp,
        **PayloadCompressionManager().process_payload({"text": "x" * 5000})}
table = boto3.resource('dynamodb', region_name='us-east-1').Table('FormBridgeData')
table.put_item(Item=json.loads(json.dumps(item), parse_float=Decimal))
