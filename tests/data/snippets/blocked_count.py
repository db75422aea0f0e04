# Quoted word for word from the document "DynamoDB Schema Design" of the parental control system; do not edit.
dynamodb.update_item(
    Key={'childPhoneNumber': '+15551234567', 'dateApp': '2025-10-03#TikTok'},
    UpdateExpression='ADD blockedCount :inc SET timestampLast = :ts',
    ExpressionAttributeValues={':inc': 1, ':ts': '2025-10-03T14:52:10Z'}
)
