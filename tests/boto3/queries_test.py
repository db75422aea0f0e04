#!/usr/bin/python3
"""Query and Scan by boto3: key conditions, filters, indexes, order, paging, Select, parallel scans, paginators."""

import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness
from harness import Case, index

INVALID = "One or more parameter values were invalid: "


def n(number):
    return {"N": str(number)}


def s(text):
    return {"S": text}


class Music(Case):
    """One table of 3 partitions with 12 items each: a local index by year, and a sparse global index by genre."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.name = cls.table("music", "artist:S track:N", "year:N genre:S",
                             LocalSecondaryIndexes=[index("by-year", "artist year", "KEYS_ONLY")],
                             GlobalSecondaryIndexes=[index("by-genre", "genre year", include=["title"])])
        cls.items = []
        for artist in ("abba", "blur", "cake"):
            for track in range(12):
                item = {"artist": s(artist), "track": n(track), "year": n(1970 + track % 5), "title": s(f"t{track}"),
                        "seconds": n(track * 10), "tags": {"SS": ["all", f"mod{track % 3}"]}}
                if track % 2:
                    item["genre"] = s("odd" if track % 3 else "third")
                cls.items.append(item)
        for item in cls.items:
            cls.client.put_item(TableName=cls.name, Item=item)

    def query(self, condition, values, names=None, **parameters):
        if names:
            parameters["ExpressionAttributeNames"] = names
        return self.raw.query(TableName=self.name, KeyConditionExpression=condition, ExpressionAttributeValues=values,
                              **parameters)

    def tracks(self, condition, **values):
        extra = {name: values.pop(name) for name in list(values) if name[0].isupper()}
        reply = self.query(condition, {":a": s("abba"), **{f":{name}": value for name, value in values.items()}},
                           names={"#t": "track"} if "#t" in condition else None, **extra)
        return [int(item["track"]["N"]) for item in reply["Items"]]


class Query(Music):

    def test_key_conditions(self):
        for condition, values, expected in [
                ("artist = :a", {}, range(12)), ("artist = :a AND #t = :t", {"t": n("3.0")}, [3]),
                ("artist = :a AND #t < :t", {"t": n(3)}, [0, 1, 2]), (":a = artist", {}, range(12)),
                ("#t <= :t AND artist = :a", {"t": n(2)}, [0, 1, 2]),
                ("artist = :a AND #t > :t", {"t": n(9)}, [10, 11]),
                ("(artist = :a) AND (#t >= :t)", {"t": n(11)}, [11]),
                ("artist = :a AND #t BETWEEN :t AND :u", {"t": n("1.5"), "u": n(4)}, [2, 3, 4]),
                ("artist = :a AND #t = :t", {"t": n(99)}, [])]:
            with self.subTest(condition=condition):
                self.assertEqual(list(expected), self.tracks(condition, **values))

    def test_backwards(self):
        self.assertEqual(list(range(11, -1, -1)), self.tracks("artist = :a", ScanIndexForward=False))
        self.assertEqual([4, 3], self.tracks("artist = :a AND #t < :t", t=n(5), ScanIndexForward=False, Limit=2))

    def test_paging_by_hand(self):
        for forward in (True, False):
            seen, start = [], {}
            while True:
                page = self.query("artist = :a", {":a": s("blur")}, Limit=5, ScanIndexForward=forward, **start)
                seen += [int(item["track"]["N"]) for item in page["Items"]]
                if "LastEvaluatedKey" not in page:
                    break
                self.assertEqual({"artist", "track"}, set(page["LastEvaluatedKey"]))
                start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
            self.assertEqual(sorted(seen, reverse=not forward), seen)
            self.assertEqual(12, len(seen))

    def test_a_full_page_has_a_last_key(self):
        """DynamoDB does not look ahead: a page that reached its Limit has a LastEvaluatedKey, even at the end."""
        page = self.query("artist = :a", {":a": s("blur")}, Limit=12)
        self.assertEqual((12, n(11)), (page["Count"], page["LastEvaluatedKey"]["track"]))
        page = self.query("artist = :a", {":a": s("blur")}, Limit=12, ExclusiveStartKey=page["LastEvaluatedKey"])
        self.assertEqual(0, page["Count"])
        self.assertNotIn("LastEvaluatedKey", page)

    def test_start_key_of_no_item(self):
        page = self.query("artist = :a", {":a": s("blur")},
                          ExclusiveStartKey={"artist": s("blur"), "track": n("4.5")})
        self.assertEqual(5, int(page["Items"][0]["track"]["N"]))

    def test_paginator(self):
        pages = self.client.get_paginator("query").paginate(
            TableName=self.name, KeyConditionExpression="artist = :a", ExpressionAttributeValues={":a": s("cake")},
            PaginationConfig={"PageSize": 5, "MaxItems": 8})
        items = [item for page in pages for item in page["Items"]]
        self.assertEqual(list(range(8)), [int(item["track"]["N"]) for item in items])

    def test_filter(self):
        reply = self.query("artist = :a", {":a": s("abba"), ":m": s("mod1"), ":s": n(50)},
                           FilterExpression="contains(tags, :m) AND seconds > :s")
        self.assertEqual([7, 10], [int(item["track"]["N"]) for item in reply["Items"]])
        self.assertEqual((2, 12), (reply["Count"], reply["ScannedCount"]))
        reply = self.query("artist = :a", {":a": s("abba"), ":s": n(50)}, FilterExpression="seconds > :s", Limit=3)
        self.assertEqual((0, 3, n(2)), (reply["Count"], reply["ScannedCount"], reply["LastEvaluatedKey"]["track"]))

    def test_projection_and_select(self):
        reply = self.query("artist = :a", {":a": s("abba")}, ProjectionExpression="title", Limit=1)
        self.assertEqual([{"title": s("t0")}], reply["Items"])
        reply = self.query("artist = :a", {":a": s("abba")}, Select="COUNT")
        self.assertEqual(12, reply["Count"])
        self.assertNotIn("Items", reply)
        artist = {"ComparisonOperator": "EQ", "AttributeValueList": [s("abba")]}
        reply = self.client.query(TableName=self.name, KeyConditions={"artist": artist}, Select="SPECIFIC_ATTRIBUTES",
                                  AttributesToGet=["title"], Limit=1)
        self.assertEqual([{"title": s("t0")}], reply["Items"])

    def test_legacy_conditions(self):
        reply = self.client.query(
            TableName=self.name,
            KeyConditions={"artist": {"ComparisonOperator": "EQ", "AttributeValueList": [s("abba")]},
                           "track": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [n(2), n(6)]}},
            QueryFilter={"seconds": {"ComparisonOperator": "GT", "AttributeValueList": [n(30)]},
                         "genre": {"ComparisonOperator": "NULL"}}, ConditionalOperator="AND")
        self.assertEqual([4, 6], [int(item["track"]["N"]) for item in reply["Items"]])

    def test_local_index(self):
        reply = self.query("artist = :a AND #y = :y", {":a": s("abba"), ":y": n(1971)}, names={"#y": "year"},
                           IndexName="by-year", ConsistentRead=True)
        self.assertEqual({1, 6, 11}, {int(item["track"]["N"]) for item in reply["Items"]})
        self.assertEqual({"artist", "track", "year"}, set(reply["Items"][0]))
        reply = self.query("artist = :a", {":a": s("abba")}, IndexName="by-year", Select="ALL_ATTRIBUTES")
        years = [int(item["year"]["N"]) for item in reply["Items"]]
        self.assertEqual(sorted(years), years)
        self.assertEqual({item["title"]["S"] for item in reply["Items"]}, {f"t{n}" for n in range(12)})
        reply = self.query("artist = :a", {":a": s("abba")}, IndexName="by-year", Limit=4)
        self.assertEqual({"artist", "track", "year"}, set(reply["LastEvaluatedKey"]))

    def test_global_index(self):
        reply = self.query("genre = :g AND #y > :y", {":g": s("odd"), ":y": n(1970)}, names={"#y": "year"},
                           IndexName="by-genre")
        expected = [item for item in self.items if item.get("genre") == s("odd") and int(item["year"]["N"]) > 1970]
        self.assertEqual(len(expected), reply["Count"])
        self.assertEqual({"artist", "track", "year", "genre", "title"}, set(reply["Items"][0]))
        pages = list(self.client.get_paginator("query").paginate(
            TableName=self.name, IndexName="by-genre", KeyConditionExpression="genre = :g",
            ExpressionAttributeValues={":g": s("odd")}, PaginationConfig={"PageSize": 2}))
        self.assertEqual({"artist", "track", "year", "genre"}, set(pages[0]["LastEvaluatedKey"]))
        years = [int(item["year"]["N"]) for page in pages for item in page["Items"]]
        self.assertEqual(sorted(years), years)
        self.assertEqual(len([item for item in self.items if item.get("genre") == s("odd")]), len(years))

    def test_refusals(self):
        a = {":a": s("abba")}
        at = {**a, ":t": n(1)}
        cases = [
            ("Query condition missed key schema element: artist", dict(condition="title = :a", values=a)),
            ("Query condition missed key schema element: track",
             dict(condition="artist = :a AND title = :t", values=at)),
            ("Query key condition not supported", dict(condition="artist > :a", values=a)),
            ("Invalid KeyConditionExpression: The expression can not be empty;", dict(condition="", values=a)),
            ("Invalid operator used in KeyConditionExpression: OR",
             dict(condition="artist = :a OR #t = :t", values=at, names={"#t": "track"})),
            (INVALID + "Condition parameter type does not match schema type",
             dict(condition="artist = :a", values={":a": n(1)})),
            ("Filter Expression can only contain non-primary key attributes: Primary key attribute: track",
             dict(condition="artist = :a", values=at, names={"#t": "track"}, FilterExpression="#t = :t")),
            (re.compile("The table does not have the specified index: nope"),
             dict(condition="artist = :a", values=a, IndexName="nope")),
            ("Consistent reads are not supported on global secondary indexes",
             dict(condition="genre = :a", values=a, IndexName="by-genre", ConsistentRead=True)),
            (re.compile("starting key is invalid|key element does not match the schema"),
             dict(condition="artist = :a", values=a, ExclusiveStartKey={"artist": s("abba"), "track": s("x")})),
            ("The provided starting key is outside query boundaries based on provided conditions",
             dict(condition="artist = :a AND #t < :t", values=at, names={"#t": "track"},
                  ExclusiveStartKey={"artist": s("abba"), "track": n(5)})),
            (INVALID + "Select type ALL_ATTRIBUTES is not supported for global secondary index by-genre because its "
             "projection type is not ALL", dict(condition="genre = :a", values=a, IndexName="by-genre",
                                                Select="ALL_ATTRIBUTES")),
            (re.compile("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName$"),
             dict(condition="artist = :a", values=a, Select="ALL_PROJECTED_ATTRIBUTES")),
            ("1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value "
             "greater than or equal to 1", dict(condition="artist = :a", values=a, Limit=0)),
        ]
        for message, parameters in cases:
            with self.subTest(**parameters):
                self.refuses("ValidationException", message, self.query, **parameters)

    def test_missing_table(self):
        self.refuses("ResourceNotFoundException", "Requested resource not found", self.client.query,
                     TableName="nowhere", KeyConditionExpression="a = :a", ExpressionAttributeValues={":a": s("a")})


class Scan(Music):

    def keys(self, items):
        return sorted((item["artist"]["S"], int(item["track"]["N"])) for item in items)

    def test_whole_table(self):
        pages = self.client.get_paginator("scan").paginate(TableName=self.name, PaginationConfig={"PageSize": 7})
        items = [item for page in pages for item in page["Items"]]
        self.assertEqual(self.keys(self.items), self.keys(items))

    def test_items_of_a_partition_are_together_in_order(self):
        items = self.client.scan(TableName=self.name)["Items"]
        artists = [item["artist"]["S"] for item in items]
        self.assertEqual(3, sum(1 for a, b in zip(artists, artists[1:] + [None]) if a != b))
        for artist in set(artists):
            tracks = [int(item["track"]["N"]) for item in items if item["artist"]["S"] == artist]
            self.assertEqual(sorted(tracks), tracks)

    def test_segments_part_the_table(self):
        for total in (2, 4, 16):
            found = []
            for segment in range(total):
                pages = self.client.get_paginator("scan").paginate(
                    TableName=self.name, Segment=segment, TotalSegments=total, PaginationConfig={"PageSize": 3})
                found += [item for page in pages for item in page["Items"]]
            self.assertEqual(self.keys(self.items), self.keys(found))

    def test_filter_projection_and_count(self):
        reply = self.client.scan(TableName=self.name, FilterExpression="#t = :t AND begins_with(artist, :a)",
                                 ProjectionExpression="title, artist", ExpressionAttributeNames={"#t": "track"},
                                 ExpressionAttributeValues={":t": n(3), ":a": s("b")})
        self.assertEqual([{"title": s("t3"), "artist": s("blur")}], reply["Items"])
        self.assertEqual((1, 36), (reply["Count"], reply["ScannedCount"]))
        reply = self.client.scan(TableName=self.name, Select="COUNT")
        self.assertEqual(36, reply["Count"])
        self.assertNotIn("Items", reply)

    def test_indexes(self):
        with_genre = [item for item in self.items if "genre" in item]
        items = self.client.scan(TableName=self.name, IndexName="by-genre")["Items"]
        self.assertEqual(self.keys(with_genre), self.keys(items))
        items = self.client.scan(TableName=self.name, IndexName="by-year")["Items"]
        self.assertEqual(self.keys(self.items), self.keys(items))

    def test_legacy_filter(self):
        reply = self.client.scan(TableName=self.name, AttributesToGet=["title"], ScanFilter={
            "track": {"ComparisonOperator": "IN", "AttributeValueList": [n(1), n(2)]},
            "artist": {"ComparisonOperator": "NE", "AttributeValueList": [s("abba")]}})
        self.assertEqual(["t1", "t1", "t2", "t2"], sorted(item["title"]["S"] for item in reply["Items"]))

    def test_refusals(self):
        for message, parameters in [
                ("The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 3 is not "
                 "less than TotalSegments: 3", dict(Segment=3, TotalSegments=3)),
                ("The TotalSegments parameter is required but was not present in the request when Segment parameter is "
                 "present", dict(Segment=1)),
                ("The Segment parameter is required but was not present in the request when parameter TotalSegments is "
                 "present", dict(TotalSegments=3)),
                (re.compile("Member must have value less than or equal to 1000000"), dict(Segment=0,
                                                                                          TotalSegments=1000001)),
                (re.compile("Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES$"),
                 dict(Select="ALL_ATTRIBUTES", ProjectionExpression="title")),
                ("Invalid FilterExpression: The expression can not be empty;", dict(FilterExpression="")),
                ("Consistent reads are not supported on global secondary indexes", dict(IndexName="by-genre",
                                                                                        ConsistentRead=True))]:
            with self.subTest(**parameters):
                self.refuses("ValidationException", message, self.raw.scan, TableName=self.name, **parameters)


class Pages(Case):
    """A page ends after 1 MB of items read, whatever the filter returns."""

    def test_one_megabyte(self):
        name = self.table("large", "pk:S sk:N")
        for number in range(30):
            self.client.put_item(TableName=name, Item={"pk": s("p"), "sk": n(number), "text": s("x" * 100_000)})
        for call, parameters in ((self.client.query, {"KeyConditionExpression": "pk = :p",
                                                      "ExpressionAttributeValues": {":p": s("p")}}),
                                 (self.client.scan, {}),
                                 (self.client.scan, {"FilterExpression": "attribute_exists(nope)"})):
            counts, start = [], {}
            while True:
                page = call(TableName=name, **parameters, **start)
                counts.append(page["ScannedCount"])
                if "LastEvaluatedKey" not in page:
                    break
                start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
            self.assertEqual(30, sum(counts))
            self.assertEqual(11, counts[0], "the item that passes 1 MB is the last of its page")


if __name__ == "__main__":
    harness.run_file()
