import boto3
import document

document.run("blocked_count", dynamodb=boto3.resource("dynamodb", region_name="us-east-1").Table("BlockedRequestMetrics"))
