"""Files as people have them, and what they expect to be read from them without any option."""

from pathlib import Path

import numpy as np
import pytest

from urerf.files import ColumnOptions, ReadOptions, read_files, read_for_model
from urerf.schema import BOOLEAN, CATEGORY, DATETIME, NUMBER, ORDINAL

FOLDER = Path(__file__).parent / "messy"
NEEDED = {
    ".xlsx": "python_calamine",
    ".ods": "python_calamine",
    ".zst": "zstandard",
    ".sav": "pyreadstat",
    ".dta": "pyreadstat",
    ".xpt": "pyreadstat",
    ".parquet": "pyarrow",
    ".feather": "pyarrow",
}


def out(kind, reason):
    """A column that is not a feature."""
    return kind, reason


def dates(*days):
    return DATETIME, list(days)


def ordinal(levels, *values):
    return ORDINAL, levels, list(values)


EXPECTED = {
    "aligned.txt": {
        "id": ["a1", "a2", "a1", "a2"],
        "height": [1.75, 1.6, 1.81, 1.77],
        "weight": [70, 55, 82, 90],
    },
    "ambiguous_thousands.csv": {
        "city": ["a", "b", "a", "b"],
        "people": [1234, 12345, 123456, 7890],
    },
    "blank_lines.csv": {
        "a": [1, 3, 5],
        "b": [2, 4, 9],
    },
    "bom.csv": {
        "a": [1, 2, 4],
        "b": ["x", "y", "x"],
    },
    "booleans.csv": {
        "ok": [True, False, True, None],
        "agreed": ["yes", "no", "no", "yes"],
        "x": [1, 2, 4, 9],
    },
    "columns.json": {
        "a": [1, 3, 5],
        "b": [2.5, 4.5, None],
        "c": ["x", "y", "x"],
    },
    "comments.csv": {
        "x": [1, 3, 7],
        "y": [2, 4, 6],
    },
    "constant.csv": {
        "version": out("ignore", "constant"),
        "x": [1, 2, 4],
        "empty": out("ignore", "every cell is empty"),
    },
    "crlf_in_quotes.csv": {
        "note": ["a\r\nb", "c", "a\r\nb"],
        "x": [1.5, 2.5, 3.5],
    },
    "dates_ambiguous.csv": {
        "date": dates("2020-01-02", "2020-03-04", "2020-05-06"),
        "x": [1, 2, 4],
    },
    "dates_ambiguous_comma.csv": {
        "date": dates("2020-02-01", "2020-04-03", "2020-06-05"),
        "x": [1.5, 2, 4],
    },
    "dates_german.csv": {
        "Datum": dates("2020-12-31", "2021-02-01", "2021-03-05"),
        "x": [1.5, 2, 4],
    },
    "dates_iso.csv": {
        "day": dates("2020-12-31", "2021-01-01", "2021-02-28", None),
        "x": [1, 2, 4, 9],
    },
    "dates_named.csv": {
        "date": dates("2020-12-31", "2021-02-01", "2021-03-15"),
        "x": [1, 2, 4],
    },
    "dates_uk.csv": {
        "date": dates("2020-12-31", "2021-02-01", "2021-03-15"),
        "seen": dates("2021-02-01", "2021-02-03", "2021-05-04"),
        "x": [1, 2, 4],
    },
    "dates_us.csv": {
        "date": dates("2020-12-31", "2021-01-02", "2021-03-15"),
        "x": [1, 2, 4],
    },
    "dollars.csv": {
        "item": ["book", "pen", "book", "pen"],
        "price": [1234.5, 2.99, 12000, 3.25],
        "change": [-50, 3.1, -0.5, 1],
    },
    "duplicates.csv": {
        "x": [1, 5, 8],
        "y": [2, 6, 9],
        "x.1": [3, 7, 1],
        "x.2": [4, 9, 2],
    },
    "emails.csv": {
        "email": out("id", "every value is different"),
        "x": [1, 4, 9, 16, 25, 36, 49],
        "plan": ["free", "free", "paid", "free", "free", "paid", "free"],
    },
    "euros.csv": {
        "item": ["book", "pen", "book", "pen"],
        "price": [12.5, 2.99, 1200, 3.1],
    },
    "excel_errors.csv": {
        "a": [1, None, 2, 3, 5],
        "b": [None, 3, 4, None, 9],
    },
    "excel_sep.csv": {
        "a": [1.5, 2.5, 4.5],
        "b": [2, 3, 9],
    },
    "excel_unicode.txt": {
        "Name": ["Äpfel", "Birnen", "Äpfel", "Birnen"],
        "Wert": [1.5, 2.5, 3.5, 4.25],
    },
    "free_text.csv": {
        "score": [1, 4, 9, 16, 25, 36, 49],
        "comment": out("ignore", "free text"),
    },
    "french.csv": {
        "Région": ["Bretagne", "Corse", "Île-de-France", "Bretagne", "Corse", "Bretagne"],
        "Élèves": [1234, 567, 12345, 1100, 600, 980],
        "Dépense": [2345.67, 890.1, 45678.9, 2100, 950.5, 1999.99],
        "Part": [12.5, 3, 45.25, 11, 4.5, 10],
    },
    "french_thin.csv": {
        "ville": ["Lyon", "Nice", "Lyon", "Nice"],
        "prix": [1234.5, 12000, 99.9, 7],
    },
    "german.csv": {
        "Kunde": out("id", "every value is different"),
        "Ort": ["Köln", "Köln", "Berlin", "Berlin", "Köln", "Bonn"],
        "Größe": [1.75, 1.8, 1.65, 1.705, None, 1.69],
        "Umsatz": [1234.5, 12000, 900, 12.3, 3000, None],
    },
    "german_windows.csv": {
        "Kunde": out("id", "every value is different"),
        "Ort": ["Köln", "Köln", "Berlin", "Berlin", "Köln", "Bonn"],
        "Größe": [1.75, 1.8, 1.65, 1.705, None, 1.69],
        "Umsatz": [1234.5, 12000, 900, 12.3, 3000, None],
    },
    "indian.csv": {
        "name": ["a", "b", "a", "b"],
        "rupees": [123456, 1234567.5, 999, 1000],
    },
    "lines.jsonl": {
        "a": [1, 3, 5],
        "b": [2.5, 4.5, None],
        "c": ["x", "y", "x"],
    },
    "mac.csv": {
        "a": [1, 3, 5],
        "b": [2, 4, 9],
    },
    "matlab.txt": {
        "x0": [1.5, 4.5, 7.5],
        "x1": [2.5, 5.5, 8.5],
        "x2": [3.5, 6.5, 1.5],
    },
    "metadata.csv": {
        "sample_type": ["ore", "slag", "ore"],
        "Fe": [12.5, 7.25, 11.75],
        "Cu": [0.3, 0.1, 0.2],
        "Zn": [1, 2, 4],
    },
    "mixed.csv": {
        "room": ["101", "102", "A7", "B2", "103", "A7"],
        "size": [20, 30, 25, 28, 40, 22],
    },
    "nested.json": {
        "a": [1, 3, 5],
        "place.city": ["Rome", "Oslo", "Rome"],
        "place.lat": [41.9, 59.9, 41.8],
    },
    "no_header.csv": {
        "x0": [5.1, 4.9, 7, 6.3],
        "x1": [3.5, 3, 3.2, 3.3],
        "x2": ["setosa", "setosa", "versicolor", "versicolor"],
    },
    "nulls.csv": {
        "a": [1, None, None, None, None, 7],
        "b": [None, 2, 3, 4, 5, 8],
        "c": ["x", None, "y", "x", None, "y"],
    },
    "one_column.csv": {
        "size": [1.5, 2.5, -3.25],
    },
    "packed.csv.bz2": {
        "a": [1, 3, 5],
        "b": [2.5, 4.5, 0.5],
        "c": ["x", "y", "x"],
    },
    "packed.csv.gz": {
        "a": [1, 3, 5],
        "b": [2.5, 4.5, 0.5],
        "c": ["x", "y", "x"],
    },
    "packed.csv.xz": {
        "a": [1, 3, 5],
        "b": [2.5, 4.5, 0.5],
        "c": ["x", "y", "x"],
    },
    "packed.csv.zst": {
        "a": [1, 3, 5],
        "b": [2.5, 4.5, 0.5],
        "c": ["x", "y", "x"],
    },
    "packed.zip": {
        "a": [1, 3, 5],
        "b": [2.5, 4.5, 0.5],
        "c": ["x", "y", "x"],
    },
    "pandas.json": {
        "a": [1, 3, 5],
        "b": [2.5, 4.5, None],
        "c": ["x", "y", "x"],
    },
    "pandas_index.csv": {
        "rownames": out("id", "row names"),
        "a": [1.5, 2.5, 0.5, 4.5],
        "b": ["x", "y", "x", "y"],
    },
    "percent.csv": {
        "group": ["a", "b", "a", "b"],
        "share": [12.5, 7, 100, 0],
        "rate": [7, 8, 9.5, 12],
    },
    "pipe.txt": {
        "a": [1, 3, 5],
        "b": [2, 4, 9],
        "c": ["x", "y", "x"],
    },
    "pounds.csv": {
        "item": ["book", "pen", "book", "pen"],
        "price": [1000, 250, 12500, 75],
    },
    "quoted_newlines.csv": {
        "size": [1.5, 2.5, 3.5],
        "address": [
            "Main Street 1\nSpringfield",
            "High Street 2\nShelbyville",
            "Main Street 1\nSpringfield",
        ],
    },
    "quotes.csv": {
        "name": ["Smith, John", "Doe, Jane", "Smith, John"],
        "said": ['He said "no"', "ok", "ok"],
        "n": [1, 2, 4],
    },
    "r_na_omitted.csv": {
        "rownames": out("id", "every value is different"),
        "Ozone": [41, 36, 12, 18, 23, 19, 8, 16, 11, 14, 18, 14, 34, 6, 30, 11, 1, 11, 4, 32],
        "Wind": [
            7.4,
            8,
            12.6,
            11.5,
            8.6,
            13.8,
            20.1,
            9.7,
            9.2,
            10.9,
            13.2,
            11.5,
            12,
            18.4,
            11.5,
            9.7,
            9.7,
            16.6,
            9.7,
            12,
        ],
    },
    "r_write_csv.csv": {
        "rownames": out("id", "row names"),
        "Sepal.Length": [5.1, 4.9, 7, 6.4],
        "Species": ["setosa", "setosa", "versicolor", "versicolor"],
    },
    "r_write_csv2.csv": {
        "rownames": out("id", "row names"),
        "mpg": [21, 22.8, 18.1],
        "cyl": [6, 4, 6],
    },
    "r_write_table.txt": {
        "rownames": out("id", "row names"),
        "mpg": [21, 22.8, 18.1, 14.3],
        "cyl": [6, 4, 6, 8],
        "am": [True, True, False, False],
    },
    "record_id.csv": {
        "record_id": out("id", "every value is different"),
        "x": [1, 2, 4, 9, 3],
    },
    "records.json": {
        "a": [1, 3, 5],
        "b": [2.5, 4.5, None],
        "c": ["x", "y", "x"],
    },
    "sas_missing.csv": {
        "id": out("id", "every value is different"),
        "dose": [1.5, None, 2.5, None, 3.5, 2],
        "response": [None, 3, None, 4, 7, 8],
    },
    "savetxt.txt": {
        "height": [1.75, 1.6, 1.81],
        "weight": [70, 55, 82],
        "age": [30, 41, 27],
    },
    "scientific.csv": {
        "a": [0.0015, 250, -100000],
        "b": [2, 3, 4],
    },
    "semicolon_point.csv": {
        "fixed acidity": [7.4, 7.8, 11.2, 7.9],
        "alcohol": [9.4, 9.8, 10.5, 9.125],
        "quality": [5, 5, 6, 7],
    },
    "sentinel.csv": {
        "temperature": [21.5, -999, 19, -999, 23.5, 22],
        "humidity": [40, 43, -999, 51, 47, -999],
    },
    "sheet.ods": {
        "a": [1, 3, 5],
        "b": [2.5, 4.5, 0.5],
        "c": ["x", "y", "x"],
    },
    "sheet.xlsx": {
        "sample": ["a", "b", "a", "b"],
        "day": dates("2020-01-31", "2020-02-28", "2020-03-31", "2020-04-30"),
        "length": [1.5, 2.5, None, 4],
        "ok": [True, False, True, True],
        "share": [0.125, 0.5, 0.75, 1],
    },
    "sheets.xlsx": {
        "a": [1, 2, 4],
        "b": [1.5, 2.5, None],
    },
    "spss_codes.csv": {
        "age": [34, 51, 27, 45, 62, 38, 29],
        "income": [2500, 99999, 1800, 3100, 99999, 2200, 2050],
        "children": [2, 0, 99, 1, 3, 99, 1],
    },
    "survey.sav": {
        "age": [34, 51, 27, 45, 62],
        "sex": ["male", "female", "female", "male", "female"],
        "trust": ordinal(["low", "middle", "high"], "low", "high", "middle", "high", None),
        "city": ["Rome", "Oslo", "Rome", "Oslo", "Rome"],
    },
    "swiss.csv": {
        "Kanton": ["Zürich", "Bern", "Zürich", "Bern"],
        "Betrag": [1234.5, 12000, 99.95, -5],
    },
    "tab_comma.txt": {
        "x": [1.5, 2.25, -0.5, 0],
        "y": [2, 3, 4, 9],
    },
    "table.dta": {
        "x": [1.5, 2.5, None, 4.5],
        "color": ["red", "blue", "red", "red"],
        "day": dates("2020-01-01", "2020-06-30", "2021-01-01", "2021-01-02"),
    },
    "table.feather": {
        "x": [1.5, 2.5, None, 4.5],
        "color": ["red", "blue", "red", "red"],
        "day": dates("2020-01-01", "2020-06-30", "2021-01-01", "2021-01-02"),
    },
    "table.parquet": {
        "x": [1.5, 2.5, None, 4.5],
        "color": ["red", "blue", "red", "red"],
        "day": dates("2020-01-01", "2020-06-30", "2021-01-01", "2021-01-02"),
    },
    "table.xpt": {
        "x": [1.5, 2.5, 4.5],
        "g": ["a", "b", "a"],
    },
    "tabs.csv": {
        "a": [1, 3, 5],
        "b": [2, 4, 9],
        "c": ["x y", "z, w", "x y"],
    },
    "times.csv": {
        "start": dates("1970-01-01T08:30:00", "1970-01-01T12:00:00", "1970-01-01T23:45:30"),
        "x": [1, 2, 4],
    },
    "timestamps.csv": {
        "time": dates("2020-12-31T23:00:00", "2020-12-31T23:30:00", "2021-01-01T12:00:00"),
        "x": [1, 2, 4],
    },
    "title.csv": {
        "region": ["north", "south", "north"],
        "units": [5, 7, 9],
        "price": [1.5, 2.5, 3.25],
    },
    "title_padded.csv": {
        "region": ["north", "south", "north"],
        "units": [5, 7, 9],
        "price": [1.5, 2.5, 3.25],
    },
    "trailing_separator.csv": {
        "a": [1, 3, 5],
        "b": [2, 4, 7],
    },
    "underscores.csv": {
        "plot": ["1_12", "2021_05", "1_12"],
        "x": [1, 2, 4],
    },
    "unicode_minus.csv": {
        "a": [-5, 3.5, -0.25],
        "b": [1, 2, 4],
    },
    "units.csv": {
        "sample": ["a", "b", "a", "b"],
        "length": [1.5, 2.5, 3.5, 4.5],
        "mass": [20, 30, 70, 10],
    },
    "unnamed.csv": {
        "a": [1, 4, 6],
        "x1": [2, 5, 9],
        "b": [3, 7, 9],
    },
    "utf16_no_mark.csv": {
        "a": [1, 3, 5],
        "b": [2, 4, 9],
    },
    "accounting.csv": {
        "account": ["a", "b", "a", "b"],
        "result": [-1234.5, 2500, -17.25, 300],
    },
    "cell_units.csv": {
        "person": ["a", "b", "a", "b"],
        "height": [170, 182, 165, 171],
        "weight": [61.5, 80, None, 72.25],
        "speed": [5, 7.5, 6, 4],
    },
    "detection_limit.csv": {
        "depth": [10, 20, 15, 30, 45, 12],
        "lead": ["<0.5", "1.2", "<0.5", "0.9", "3.4", "2.2"],
    },
    "durations.csv": {
        "runner": ["a", "b", "a"],
        "time": dates("1970-01-02T02:05:00", "1970-01-01T03:10:20", "1970-01-01T12:00:00"),
        "pace": dates("1970-01-03T03:12:00", "1970-01-01T09:30:00", "1970-01-03T13:05:00"),
    },
    "footer.csv": {
        "region": ["north", "south", "north"],
        "sales": [5.5, 7.25, 9],
        "cost": [1, 2, 4],
    },
    "footer_padded.csv": {
        "region": ["north", "south", "east", "north", "west"],
        "sales": [5.5, 7.25, None, 9, None],
        "cost": [1, 2, None, 4, None],
    },
    "markdown.txt": {
        "group": ["a", "b", "a"],
        "length": [1.5, 2.25, 3],
    },
    "merged_header.csv": {
        "land": ["A", "B", "A"],
        "2020 men": [1.5, 2, 1],
        "2020 women": [2.5, 3, 4],
        "2021 men": [3.5, 5, 2],
        "2021 women": [4.5, 7, 9],
    },
    "months_french.csv": {
        "jour": dates("2024-01-01", "2024-02-14", "2024-08-03", "2024-12-09"),
        "prix": [1.5, 2.5, 4, 3.25],
    },
    "months_german.csv": {
        "Monat": dates("2024-01-01", "2024-03-01", "2024-10-01", "2024-12-01"),
        "Umsatz": [1.5, 2.5, 4, 3.25],
    },
    "nul.csv": {
        "a": [1, 3, 4],
        "b": [2, None, 5],
    },
    "number_dates.csv": {
        "day": [20240101, 20240229, 20241231, 20230704, 20240315],
        "x": [1.5, 2, 7, 4, 9],
    },
    "percent_comma.csv": {
        "Land": ["A", "B", "A"],
        "Anteil": [12.5, 7.25, 100],
    },
    "population.xlsx": {
        "region": list("abcdeabcde"),
        "2020 men": [1.5 * i for i in range(10)],
        "2020 women": [2 * i + 1 for i in range(10)],
        "2021 men": [3 * i for i in range(10)],
        "2021 women": [7 - i for i in range(10)],
    },
    "quoted_names.txt": {
        "GPA": [2.66, 2.89, 3.28],
        "SCORE": [20, 22, 24],
        "PASSED": [0, 1, 0],
    },
    "repeated_header.csv": {
        "a": [1.5, 3, 5, 2],
        "b": [2, 4, 7, 9],
        "c": ["x", "y", "x", "y"],
    },
    "subject_codes.csv": {
        "subject": out("id", "identifies 3 groups of rows"),
        "visit": [1, 2, 1, 2, 1, 2],
        "weight": [70.5, 71, 80, 79.5, 64, 63],
    },
    "totals.csv": {
        "region": ["north", "south", "east", "north", "Total"],
        "sales": [5.5, 7.25, 9, 3, 24.75],
        "cost": [1, 2, 4, 5, 12],
    },
    "trailing_minus.csv": {
        "Konto": ["a", "b", "a", "b"],
        "Betrag": [-1234.5, 17.25, -300, 12],
    },
    "two_line_header.csv": {
        "height mean": [1.5, 1.7, 1.6],
        "height sd": [0.5, 0.25, 0.125],
        "weight mean": [60, 65, 71],
        "weight sd": [7, 9, 8],
    },
    "unit_changes.csv": {
        "part": ["a", "b", "a", "b"],
        "length": ["1.60 m", "153 cm", "1.75 m", "162 cm"],
    },
    "week_days.csv": {
        "day": dates("2024-01-31", "2024-02-05", "2024-02-04"),
        "x": [1, 2.5, 4],
    },
    "years.csv": {
        "country": ["A", "B", "A"],
        "2019": [1.5, 2.5, 3.5],
        "2020": [2.5, 3.5, 1.5],
        "2021": [3.5, 4.75, 2.25],
    },
    "zip_codes.csv": {
        "customer": out("id", "every value is different"),
        "zip": ["02138", "94110", "02138", "10001", "K1A 0B6", "94110"],
        "tel": out("id", "every value is different"),
        "month": [1, 2, 12, 7, 3, 1],
        "spend": [12.5, 30, 7.25, 18, 9, 22],
    },
    "plz.csv": {
        "Kunde": ["a", "b", "a", "b"],
        "PLZ": ["01067", "80331", "01067", "04109"],
        "Umsatz": [1234.5, 99, 250.25, 12.75],
    },
    "order_numbers.csv": {
        "order": out("id", "every value is different"),
        "price": [5.5, 7, 6.25, 9, 8],
        "paid": ["yes", "no", "yes", "yes", "no"],
    },
    "survey_questions.csv": {
        "StartDate": dates(
            "2023-03-01T10:15:00",
            "2023-03-02T11:20:00",
            "2023-03-04T09:05:00",
            "2023-03-04T18:45:00",
            "2023-03-07T12:00:00",
        ),
        "ResponseId": out("id", "every value is different"),
        "Q1": [25, 37, 52, 29, 61],
        "Q2": [5, 3, 4, 1, 4],
        "Q3": ["town", "country", "town", "town", "country"],
    },
    "dates_programs.csv": {
        "sas": dates("2020-03-12T10:30:00", "2021-01-01", "2022-11-30T23:15:00"),
        "stata": dates("2020-03-01", "2021-12-01", "2019-01-01"),
        "forms": dates("2023-05-12T13:45:00", "2023-05-13T07:00:00", "2023-11-30T00:05:00"),
        "mail": dates("2022-01-01T10:00:00", "2022-01-02T11:30:00", "2022-01-03"),
        "chinese": dates("2023-02-24", "2023-11-03", "2022-12-31"),
        "quarter": dates("2020-01-01", "2021-10-01", "2019-04-01"),
    },
    "signs.csv": {
        "rhesus": ["+", "-", "+", "-"],
        "level": [1.5, 2, 4, 3.5],
        "hb": [14.1, 13, 12.2, 15],
    },
    "year_months.csv": {
        "month": [201810, 201811, 201812, 201901, 201902, 201903],
        "year": [1629, 1630, 1631, 1632, 1633, 1634],
        "sales": [5.5, 7, 6, 9, 4, 8],
    },
    "no_cents.csv": {
        "Artikel": ["Tisch", "Stuhl", "Tisch", "Stuhl"],
        "Preis": [120, 49.95, 1250, 55],
        "Saldo": [-3.5, 12, -1004.25, 7.1],
    },
    "percent_sometimes.csv": {
        "plan": ["a", "b", "a", "b", "a"],
        "share": [12, 0.12, 7, 30, 25],
        "load": [5, 7, 8, 6, 9],
    },
    "versions.csv": {
        "version": [1.8, 1.9, 1.1, 1.11, 1.1],
        "downloads": [430, 743, 124, 780, 12],
    },
    "pandas_multi_index.csv": {
        "group": ["adults", "seniors", "children"],
        "height mean": [170.1, 168.2, 121.5],
        "height std": [0.4, 0.2, 0.5],
        "weight mean": [70.5, 72.8, 25.1],
        "weight std": [3.8, 4.6, 2.3],
    },
    "pandas_timedelta.csv": {
        "wait": dates("1970-01-01T06:00:00", "1970-01-02T12:00:00", "1969-12-31T18:00:00"),
        "x": [1, 2, 4],
    },
    "excel_errors_german.csv": {
        "a": [1.5, None, 2, None, 3],
        "b": [None, 3, 4, None, 6],
    },
    "logger_hobo.csv": {
        "#": [1, 2, 3],
        "Date Time, GMT+02:00": dates(
            "2024-06-13T13:00:00", "2024-06-13T14:00:00", "2024-06-14T01:00:00"
        ),
        "Temp, °C": [20.5, 21, 19.25],
    },
    "logger_campbell.dat": {
        "TIMESTAMP": dates("2024-01-01", "2024-01-01T12:00:00", "2024-01-02"),
        "RECORD": [0, 1, 2],
        "AirTC_Avg": [20.5, 21, 19.75],
        "RH": [50, None, 48],
    },
    "plate.csv": {
        "<>": ["A", "B", "C"],
        "1": [0.1, 0.11, 0.1],
        "2": [0.2, 0.22, 0.2],
        "3": [0.3, 0.33, 0.5],
    },
    "dates_two_forms.csv": {
        "day": out("id", "every value is different"),
        "x": [1, 2, 4, 9, 3, 7],
    },
    "thousands_point.csv": {
        "Ort": ["a", "b", "a", "b"],
        "Einwohner": [3.292, 856, 12.5, 9.12],
    },
    "months_excel.csv": {
        "month": dates("2024-01-01", "2024-02-01", "2024-03-01"),
        "x": [1, 2, 4],
    },
    "dates_korean.csv": {
        "day": dates("2024-01-05", "2024-12-31", "2025-01-02"),
        "x": [1, 2, 4],
    },
}

# What is said about the files, apart from the lines that begin with "Read as".
NOTICES = {
    "blank_lines.csv": ["Line 7 is left out: it is blank."],
    "constant.csv": ["Not used: version (constant); empty (every cell is empty)."],
    "dates_ambiguous.csv": [
        "date: dates such as 01/02/2020 are read month first; if that is wrong, use "
        "--datetime date=dmy."
    ],
    "dates_ambiguous_comma.csv": [
        "date: dates such as 01/02/2020 are read day first; if that is wrong, use "
        "--datetime date=mdy."
    ],
    "duplicates.csv": ["3 columns are named 'x'; the others are called x.1, x.2."],
    "euros.csv": [
        "The file is not UTF-8 text; it is read as Windows-1252 (Latin-1). If letters look wrong, "
        "give --encoding."
    ],
    "metadata.csv": ["Lines 1 to 3 are left out: the table begins below."],
    "mixed.csv": [
        "room: 3 of 6 cells are not numbers ('A7', 'B2'), so the column is read as text."
    ],
    "sentinel.csv": [
        "temperature: 2 cells are -999, far from all other values; treat them as missing with "
        "--na temperature=-999.",
        "humidity: 2 cells are -999, far from all other values; treat them as missing with "
        "--na humidity=-999.",
    ],
    "sheet.xlsx": ["Row 1 is left out: the table begins below."],
    "sheets.xlsx": ["Read sheet 'Data'; there is also Notes, Old (choose with --sheet)."],
    "spss_codes.csv": [
        "income: 2 cells are 99999, far from all other values; treat them as missing with "
        "--na income=99999.",
        "children: 2 cells are 99, far from all other values; treat them as missing with "
        "--na children=99.",
    ],
    "title.csv": ["Lines 1 to 2 are left out: the table begins below."],
    "cell_units.csv": ["Numbers with a unit: height (cm), weight (kg), speed (km/h)."],
    "detection_limit.csv": [
        "lead: 2 of 6 cells are not numbers ('<0.5'), so the column is read as text; if that "
        "stands for a missing value, use --na 'lead=<0.5'."
    ],
    "footer.csv": ["Lines 6 to 7 are left out: the table ends above."],
    "footer_padded.csv": ["Lines 8 to 9 are left out: the table ends above."],
    "merged_header.csv": ["The column names are in lines 1 and 2."],
    "number_dates.csv": [
        "day: numbers such as 20240101 look like dates; read them with --datetime day."
    ],
    "population.xlsx": [
        "Row 1 is left out: the table begins below.",
        "The column names are in rows 3 and 4.",
        "Rows 16 to 17 are left out: the table ends above.",
    ],
    "repeated_header.csv": ["Left out because of repeated column names: lines 4, 6."],
    "subject_codes.csv": [
        "Not used: subject (identifies 3 groups of rows; declare them with --group subject, or "
        "keep it with --categorical subject)."
    ],
    "totals.csv": [
        "The last row seems to contain totals (sales, cost); if so, remove it from the file."
    ],
    "two_line_header.csv": ["The column names are in lines 1 and 2."],
    "unit_changes.csv": [
        "length: is read as text, although cells such as '1.60 m' and '153 cm' begin with numbers; "
        "write them as numbers in one unit to use them as such."
    ],
    "units.csv": ["Line 2 is left out: it seems to contain units."],
}
NOTICES |= {
    "no_cents.csv": [],
    "percent_sometimes.csv": [
        "Numbers with a unit: load (km).",
        "share: % is missing from 1 of 5 numbers; read as if it were there.",
        "load: km is missing from 1 of 5 numbers; read as if it were there.",
    ],
    "thousands_point.csv": [
        "Einwohner: the point of 3.292 is read as a decimal point; if it separates thousands, use "
        "--thousands ."
    ],
    "versions.csv": [
        "version: 1.10 and 1.1 are read as the same number; if they are names, such as versions, "
        "use --categorical version."
    ],
    "pandas_multi_index.csv": ["The column names are in lines 1 to 3."],
    "logger_hobo.csv": ["Line 1 is left out: the table begins below."],
    "logger_campbell.dat": [
        "Line 1 is left out: the table begins below.",
        "Lines 3 to 4 are left out: they describe the columns.",
    ],
    "plate.csv": ["Line 1 is read as column names: 1, 2, 3, ...; if it is data, use --no-header."],
    "dates_two_forms.csv": [
        "Row names: day (every value is different).",
        "day: 2 of 6 different values are not dates written like the others ('23/01/2024', "
        "'10/02/2024'), so the column is read as text; write all dates in the same way to use them "
        "as such.",
    ],
    "zip_codes.csv": [
        "zip: digits such as 02138 are read as codes; if they are numbers, use --number zip.",
        "tel: digits such as 0301234567 are read as codes; if they are numbers, use --number tel.",
        "Row names: customer (every value is different).",
        "Not used: tel (every value is different).",
    ],
    "survey_questions.csv": [
        "Lines 2 to 3 are left out: they describe the columns.",
        "Row names: ResponseId (every value is different).",
    ],
    "year_months.csv": [
        "year: years or months that count up are used as a number; if they only number rows, "
        "leave it out with --ignore year."
    ],
}
ROW_NAMES = {
    "german.csv": ["Müller", "Schmidt", "Weiß", "Jäger", "Vogel", "Krämer"],
    "pandas_index.csv": ["0", "1", "2", "3"],
    "r_write_csv.csv": ["1", "2", "3", "4"],
    "r_write_csv2.csv": ["Mazda RX4", "Datsun 710", "Valiant"],
    "r_write_table.txt": ["Mazda RX4", "Datsun 710", "Valiant", "Duster 360"],
    "record_id.csv": ["90210", "10115", "75001", "20095", "60311"],
    "sas_missing.csv": ["p1", "p2", "p3", "p4", "p5", "p6"],
    "bom.csv": None,
}


def read(name, **options):
    package = NEEDED.get(Path(name).suffix)
    if package:
        pytest.importorskip(package)
    return read_files([str(FOLDER / name)], options=ReadOptions(**options))


def described(column, values):
    """Return a column as the table above describes it."""
    if not column.is_feature:
        return out(column.kind, column.reason)
    cells = [None if value != value else value for value in values.tolist()]
    if column.kind == NUMBER:
        return cells
    if column.kind == BOOLEAN:
        return [None if cell is None else bool(cell) for cell in cells]
    if column.kind == DATETIME:
        times = [
            None if cell is None else np.datetime64(round(cell * 86400), "s") for cell in cells
        ]
        texts = [None if time is None else str(time) for time in times]
        return dates(*(text and text.removesuffix("T00:00:00") for text in texts))
    levels = [None if cell is None else column.levels[int(cell)] for cell in cells]
    if column.kind == ORDINAL:
        return ordinal(list(column.levels), *levels)
    assert column.kind == CATEGORY
    return levels


def test_every_file_has_an_expectation():
    assert {path.name for path in FOLDER.iterdir()} == set(EXPECTED)
    assert len(EXPECTED) >= 45


@pytest.mark.parametrize("name", EXPECTED)
def test_a_messy_file_is_read_as_a_person_expects(name):
    data = read(name)
    found = {
        column.name: described(column, values)
        for column, values in zip(data.frame.schema.columns, data.frame.values.T)
    }
    assert found == EXPECTED[name]


@pytest.mark.parametrize("name", NOTICES)
def test_what_a_person_has_to_know_is_told(name):
    said = [notice for notice in read(name).notices if not notice.startswith("Read as")]
    assert said == NOTICES[name]


@pytest.mark.parametrize("name", ROW_NAMES)
def test_rows_have_names(name):
    assert read(name).ids == ROW_NAMES[name]


@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "matlab.txt"])
def test_the_same_file_fits_its_own_model(name):
    data = read(name)
    again = read_for_model([str(FOLDER / name)], data.frame.schema)
    np.testing.assert_array_equal(again.frame.values, data.frame.values)
    assert again.ids == data.ids


@pytest.mark.parametrize(
    ("name", "options", "column", "expected"),
    [
        ("sentinel.csv", {"na": ("-999",)}, "humidity", [40, 43, None, 51, 47, None]),
        ("sentinel.csv", {"na": ("humidity=-999",)}, "humidity", [40, 43, None, 51, 47, None]),
        ("sentinel.csv", {"na": ("temperature=-999",)}, "humidity", [40, 43, -999, 51, 47, -999]),
        ("table.parquet", {"na": ("2.5", "blue")}, "x", [1.5, None, None, 4.5]),
        ("table.parquet", {"na": ("color=blue",)}, "x", [1.5, 2.5, None, 4.5]),
        ("ambiguous_thousands.csv", {"decimal": ","}, "people", [1.234, 12.345, 123.456, 7.89]),
        ("semicolon_point.csv", {"thousands": ""}, "quality", [5, 5, 6, 7]),
        ("ambiguous_thousands.csv", {"thousands": ","}, "people", [1234, 12345, 123456, 7890]),
        ("thousands_point.csv", {"thousands": "."}, "Einwohner", [3292, 856, 12500, 9120]),
        ("sheets.xlsx", {"sheet": "Old"}, "d", [2, 5]),
        ("sheets.xlsx", {"sheet": "3"}, "c", [1, 3]),
        ("title.csv", {"skip": 3}, "units", [5, 7, 9]),
        ("no_header.csv", {"header": True}, "5.1", [4.9, 7, 6.3]),
        ("pipe.txt", {"sep": "|"}, "a", [1, 3, 5]),
        ("signs.csv", {"na": ("-",)}, "rhesus", out("ignore", "constant")),
        (
            "german_windows.csv",
            {"encoding": "cp1252"},
            "Größe",
            [1.75, 1.8, 1.65, 1.705, None, 1.69],
        ),
    ],
)
def test_options_decide(name, options, column, expected):
    data = read(name, **options)
    i = data.names.index(column)
    assert described(data.frame.schema.columns[i], data.frame.values[:, i]) == expected


def test_a_declared_decimal_point_is_in_no_doubt():
    assert read("thousands_point.csv", decimal=".").notices == ["Read as categories: Ort (a, b)."]


def test_the_order_of_day_and_month_can_be_declared():
    for order, first in (("dmy", "2020-02-01"), ("mdy", "2020-01-02")):
        path = str(FOLDER / "dates_ambiguous.csv")
        data = read_files([path], ColumnOptions(datetime=(f"date={order}",)))
        assert data.frame.values[0, 0] == np.datetime64(first).astype(int)
        assert not any("are read" in notice for notice in data.notices)
