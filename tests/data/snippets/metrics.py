# Quoted word for word from the document "DynamoDB Architect Strategy - Form-Bridge Project"; do not edit.
from datetime import datetime, timedelta
from typing import Dict, List
import json

class MetricsAggregationManager:
    """
    Pre-aggregated metrics to avoid expensive real-time queries
    """
    
    def __init__(self, dynamodb_client):
        self.dynamodb = dynamodb_client
        self.table_name = "FormBridgeData"
    
    def update_submission_metrics(self, tenant_id: str, submission_data: Dict):
        """
        Update daily and hourly metrics for new submission
        """
        now = datetime.utcnow()
        date_key = now.strftime('%Y-%m-%d')
        hour_key = now.strftime('%Y-%m-%d-%H')
        
        # Update daily metrics
        self._update_daily_metrics(tenant_id, date_key, submission_data)
        
        # Update hourly metrics (with TTL)
        self._update_hourly_metrics(tenant_id, hour_key, submission_data, now)
    
    def get_dashboard_metrics(self, tenant_id: str, 
                            days_back: int = 30) -> Dict:
        """
        Efficiently retrieve dashboard metrics using pre-aggregated data
        """
        end_date = datetime.utcnow().date()
        start_date = end_date - timedelta(days=days_back)
        
        # Query pre-aggregated daily metrics
        response = self.dynamodb.query(
            TableName=self.table_name,
            KeyConditionExpression='PK = :pk AND SK BETWEEN :start AND :end',
            ExpressionAttributeValues={
                ':pk': f'TENANT#{tenant_id}',
                ':start': f'METRICS#DAY#{start_date}',
                ':end': f'METRICS#DAY#{end_date}'
            }
        )
        
        # Aggregate results
        total_submissions = 0
        daily_breakdown = {}
        form_stats = {}
        
        for item in response.get('Items', []):
            date_key = item['SK'].replace('METRICS#DAY#', '')
            count = item.get('submission_count', 0)
            
            total_submissions += count
            daily_breakdown[date_key] = count
            
            # Merge form statistics
            item_form_stats = item.get('form_stats', {})
            for form_id, form_count in item_form_stats.items():
                form_stats[form_id] = form_stats.get(form_id, 0) + form_count
        
        return {
            'total_submissions': total_submissions,
            'daily_breakdown': daily_breakdown,
            'form_statistics': form_stats,
            'period': f'{start_date} to {end_date}'
        }
