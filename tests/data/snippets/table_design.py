# Quoted word for word from the document "DynamoDB Architect Strategy - Form-Bridge Project"; do not edit.
# Primary Keys and Access Patterns
TABLE_DESIGN = {
    "table_name": "FormBridgeData",
    "partition_key": "PK",  # String
    "sort_key": "SK",       # String
    "gsi1": {
        "partition_key": "GSI1PK", 
        "sort_key": "GSI1SK"
    },
    "gsi2": {
        "partition_key": "GSI2PK", 
        "sort_key": "GSI2SK"  
    },
    "gsi3": {
        "partition_key": "GSI3PK", 
        "sort_key": "GSI3SK"
    },
    "ttl_attribute": "ttl"
}

# Entity Types and Key Patterns
ENTITY_PATTERNS = {
    # Core Form-Bridge Entities
    "submission": {
        "PK": "TENANT#{tenant_id}#{shard_id}",
        "SK": "SUB#{submission_id}",
        "GSI1PK": "TENANT#{tenant_id}",
        "GSI1SK": "TS#{timestamp}",
        "GSI2PK": "TENANT#{tenant_id}#STATUS",
        "GSI2SK": "{status}#{timestamp}"
    },
    "destination": {
        "PK": "TENANT#{tenant_id}",
        "SK": "DEST#{destination_id}",
        "GSI1PK": "TENANT#{tenant_id}",
        "GSI1SK": "DEST#{destination_type}#{created_at}"
    },
    "delivery_attempt": {
        "PK": "SUB#{submission_id}",
        "SK": "DEST#{destination_id}#ATTEMPT#{attempt_num}",
        "GSI1PK": "TENANT#{tenant_id}",
        "GSI1SK": "DELIVERY#{status}#{timestamp}",
        "GSI2PK": "DEST#{destination_id}",
        "GSI2SK": "STATUS#{status}#{timestamp}"
    },
    "tenant_config": {
        "PK": "TENANT#{tenant_id}",
        "SK": "CONFIG#main",
        "GSI1PK": "CONFIG#active",
        "GSI1SK": "TENANT#{tenant_id}"
    },
    # Write Sharding Support
    "tenant_shards": {
        "PK": "TENANT#{tenant_id}",
        "SK": "SHARDS#{shard_count}",
        "attributes": ["shard_mapping", "distribution_strategy"]
    },
    # Pre-aggregated Metrics
    "daily_metrics": {
        "PK": "TENANT#{tenant_id}",
        "SK": "METRICS#DAY#{date}",
        "GSI1PK": "METRICS#DAY#{date}",
        "GSI1SK": "TENANT#{tenant_id}",
        "attributes": ["submission_count", "destination_stats", "error_rate"]
    },
    "hourly_metrics": {
        "PK": "TENANT#{tenant_id}",
        "SK": "METRICS#HOUR#{datetime}",
        "ttl": "auto_cleanup_72h"
    }
}
