import json

import document

names = document.run("table_design", "cost_model")
print(json.dumps([names["TABLE_DESIGN"], names["COST_MODEL_2025"]]))
