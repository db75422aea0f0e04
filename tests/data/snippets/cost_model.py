# Quoted word for word from the document "DynamoDB Architect Strategy - Form-Bridge Project"; do not edit.
COST_MODEL_2025 = {
    "mvp_1k_monthly": {
        "dynamodb": {"read": 2, "write": 3, "storage": 1},
        "lambda": {"compute": 2, "requests": 1},
        "api_gateway": {"requests": 1, "data_transfer": 0.5},
        "eventbridge": {"events": 0.5},
        "security": {"kms": 2, "secrets_manager": 1},
        "monitoring": {"cloudwatch": 1, "xray": 0.5},
        "s3": {"storage": 0.5, "requests": 0.2},
        "total_range": "12-21 USD"
    },
    "growth_10k_monthly": {
        "dynamodb": {"read": 8, "write": 12, "storage": 3},
        "lambda": {"compute": 6, "requests": 2},
        "api_gateway": {"requests": 3, "data_transfer": 2},
        "eventbridge": {"events": 2},
        "security": {"kms": 8, "secrets_manager": 3, "waf": 5},
        "monitoring": {"cloudwatch": 3, "xray": 2},
        "s3": {"storage": 2, "requests": 1},
        "total_range": "48-73 USD"
    }
}
