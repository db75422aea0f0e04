import boto3

dynamodb = boto3.resource('dynamodb', region_name='us-east-1')

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
]

for app in apps:
    app_table.put_item(Item=app)
