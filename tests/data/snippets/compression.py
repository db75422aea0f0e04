# Quoted word for word from the document "DynamoDB Architect Strategy - Form-Bridge Project"; do not edit.
import gzip
import json
import base64
from typing import Dict, Any, Tuple

class PayloadCompressionManager:
    """
    Intelligent compression for form payloads >1KB
    Target: 70% storage savings
    """
    
    COMPRESSION_THRESHOLD = 1024  # 1KB
    TARGET_COMPRESSION_RATIO = 0.7  # 70% savings
    
    def process_payload(self, payload: Dict[Any, Any]) -> Dict[str, Any]:
        """
        Intelligently compress payload based on size and content
        """
        payload_json = json.dumps(payload, separators=(',', ':'))
        payload_size = len(payload_json.encode('utf-8'))
        
        if payload_size < self.COMPRESSION_THRESHOLD:
            return {
                "data": payload,
                "compressed": False,
                "original_size": payload_size,
                "storage_size": payload_size
            }
        
        # Attempt compression
        compressed_data = gzip.compress(payload_json.encode('utf-8'))
        compression_ratio = len(compressed_data) / payload_size
        
        if compression_ratio < self.TARGET_COMPRESSION_RATIO:
            # Good compression achieved
            return {
                "data": base64.b64encode(compressed_data).decode('utf-8'),
                "compressed": True,
                "compression_algorithm": "gzip",
                "original_size": payload_size,
                "storage_size": len(compressed_data),
                "compression_ratio": compression_ratio
            }
        else:
            # Poor compression, store uncompressed
            return {
                "data": payload,
                "compressed": False,
                "original_size": payload_size,
                "storage_size": payload_size,
                "compression_note": "poor_compression_ratio"
            }
