# Quoted word for word from the document "DynamoDB Schema Design" of the parental control system; do not edit.
import boto3
from datetime import datetime

dynamodb = boto3.resource('dynamodb', region_name='us-east-1')

# Seed ApplicationRegistry
app_table = dynamodb.Table('ApplicationRegistry')
apps = [
    {
        'appName': 'TikTok',
        'appCategory': 'Social Media',
        'defaultPorts': [{'port': 443, 'protocol': 'TCP'}],
        'domains': ['*.tiktok.com', '*.musical.ly'],
        'ipRanges': ['23.211.0.0/16']
    },
    {
        'appName': 'Instagram',
        'appCategory': 'Social Media',
        'defaultPorts': [{'port': 443, 'protocol': 'TCP'}],
        'domains': ['*.instagram.com'],
        'ipRanges': ['31.13.0.0/16']
    }
    # ... more apps
]

for app in apps:
    app_table.put_item(Item=app)
