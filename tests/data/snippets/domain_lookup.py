# Quoted word for word from the document "DynamoDB Architect Strategy - Form-Bridge Project"; do not edit.
class DomainLookupManager:
    """
    Optimized domain reverse lookup for WordPress plugin efficiency
    """
    
    def __init__(self, dynamodb_client):
        self.dynamodb = dynamodb_client
        self.table_name = "FormBridgeData"
    
    def lookup_tenant_by_domain(self, domain: str) -> Optional[Dict]:
        """
        Fast domain â†’ tenant lookup for WordPress plugin
        """
        domain_hash = hashlib.sha256(domain.encode()).hexdigest()[:16]
        
        try:
            response = self.dynamodb.get_item(
                TableName=self.table_name,
                Key={
                    'PK': f'DOMAIN#{domain_hash}',
                    'SK': f'LOOKUP#{domain}'
                }
            )
            return response.get('Item')
        except Exception:
            return None
