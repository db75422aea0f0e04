variable "prefix" {
  type    = string
  default = "app"
}
locals { suffix = "${var.prefix}-x" }
resource "aws_dynamodb_table" "t" {
  name         = "${local.suffix}-t" # comment
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "pk"
  range_key    = "sk"
  attribute {
    name = "pk"
    type = "S"
  }
  attribute {
    name = "sk"
    type = "S"
  }
  attribute {
    name = "g"
    type = "N"
  }
  global_secondary_index {
    name = "by-g"
    hash_key           = "g"
    projection_type    = "INCLUDE"
    non_key_attributes = ["a", "b"]
  }
  local_secondary_index {
    name = "loc"
    range_key = "g"
    projection_type = "KEYS_ONLY"
  }
  ttl {
    attribute_name = "exp"
    enabled        = true
  }
  tags = {
    Name = var.prefix
    "Env" = "x"
  }
  lifecycle { prevent_destroy = true }
}
