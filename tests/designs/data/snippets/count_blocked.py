import boto3

dynamodb = boto3.resource('dynamodb', region_name='us-east-1').Table('BlockedRequestMetrics')
dynamodb.update_item(
    Key={'childPhoneNumber': '+15551234567', 'dateApp': '2025-10-03#TikTok'},
    UpdateExpression='ADD blockedCount :inc SET timestampLast = :ts',
    ExpressionAttributeValues={':inc': 1, ':ts': '2025-10-03T14:52:10Z'}
)
