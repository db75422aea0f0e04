# Quoted word for word from the document "DynamoDB Architect Strategy - Form-Bridge Project"; do not edit.
import hashlib
import json
import time
from typing import Dict, List, Optional

class FormBridgeShardingStrategy:
    """
    Intelligent write sharding for high-volume form submissions
    """
    
    def __init__(self, dynamodb_client):
        self.dynamodb = dynamodb_client
        self.table_name = "FormBridgeData"
        
    def get_shard_id(self, tenant_id: str, submission_timestamp: str) -> str:
        """
        Calculate shard ID based on tenant volume and time distribution
        """
        # Get tenant's current shard configuration
        shard_config = self._get_tenant_shard_config(tenant_id)
        shard_count = shard_config.get("shard_count", 1)
        
        if shard_count == 1:
            return "0"  # No sharding for low-volume tenants
            
        # Hash-based distribution with time component
        hash_input = f"{tenant_id}#{submission_timestamp}"
        hash_value = hashlib.md5(hash_input.encode()).hexdigest()
        shard_id = str(int(hash_value[:8], 16) % shard_count)
        
        return shard_id
    
    def _calculate_optimal_shards(self, tenant_id: str) -> int:
        """
        Calculate optimal shard count based on tenant volume
        """
        # Query recent submission volume
        volume = self._get_recent_volume(tenant_id)
        
        if volume > 10000:  # >10K submissions/month
            return 10
        elif volume > 1000:  # >1K submissions/month
            return 4
        else:
            return 1  # No sharding needed
    
    def create_submission_key(self, tenant_id: str, submission_id: str, 
                            timestamp: str) -> Dict:
        """Create properly sharded submission key"""
        shard_id = self.get_shard_id(tenant_id, timestamp)
        
        return {
            'PK': f'TENANT#{tenant_id}#{shard_id}',
            'SK': f'SUB#{submission_id}',
            'GSI1PK': f'TENANT#{tenant_id}',
            'GSI1SK': f'TS#{timestamp}',
            'GSI2PK': f'TENANT#{tenant_id}#STATUS',
            'GSI2SK': f'PENDING#{timestamp}',
            'shard_id': shard_id,
            'tenant_id': tenant_id
        }
