import json
import sys
from datetime import datetime, timedelta

import boto3


class MetricsAggregationManager:
    def __init__(self, dynamodb_client):
        self.dynamodb = dynamodb_client
        self.table_name = "FormBridgeData"

    def get_dashboard_metrics(self, tenant_id, days_back=30):
        end_date = datetime.utcnow().date()
        start_date = end_date - timedelta(days=days_back)
        response = self.dynamodb.query(
            TableName=self.table_name,
            KeyConditionExpression='PK = :pk AND SK BETWEEN :start AND :end',
            ExpressionAttributeValues={
                ':pk': f'TENANT#{tenant_id}',
                ':start': f'METRICS#DAY#{start_date}',
                ':end': f'METRICS#DAY#{end_date}'
            }
        )
        total_submissions = 0
        daily_breakdown = {}
        form_stats = {}
        for item in response.get('Items', []):
            date_key = item['SK'].replace('METRICS#DAY#', '')
            count = item.get('submission_count', 0)
            total_submissions += count
            daily_breakdown[date_key] = count
            item_form_stats = item.get('form_stats', {})
            for form_id, form_count in item_form_stats.items():
                form_stats[form_id] = form_stats.get(form_id, 0) + form_count
        return {
            'total_submissions': total_submissions,
            'daily_breakdown': daily_breakdown,
            'form_statistics': form_stats,
            'period': f'{start_date} to {end_date}'
        }


client = boto3.resource('dynamodb', region_name='us-east-1').meta.client
print(json.dumps(MetricsAggregationManager(client).get_dashboard_metrics(sys.argv[1]), default=int))
