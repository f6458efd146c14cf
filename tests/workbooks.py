"""Workbooks written by hand, so that tests need no package that writes them."""

import datetime as dt
import zipfile
from xml.sax.saxutils import escape, quoteattr

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


class Duration(float):
    """A duration in days, however long."""


STYLES = {dt.date: 1, dt.datetime: 2, dt.time: 3, dt.timedelta: 4, Duration: 4}
"""Numbers of the formats below: a cell is a date by its format only."""

PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
    f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><cellXfs>'
    + "".join(f'<xf numFmtId="{number}"/>' for number in (0, 14, 22, 21, 46))
    + "</cellXfs></styleSheet>",
}


class Error(str):
    """The text of an error, such as #DIV/0!, in a cell."""


def write_workbook(path, sheets, hidden=()):
    """Write sheets, each a list of rows, to an .xlsx file; None = an empty cell."""
    numbered = list(enumerate(sheets, 1))
    listed = "".join(
        f"<sheet name={quoteattr(name)} sheetId='{i}' r:id='r{i}'"
        + " state='hidden'" * (name in hidden)
        + "/>"
        for i, name in numbered
    )
    related = (
        "".join(
            f'<Relationship Id="r{i}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>'
            for i, _ in numbered
        )
        + f'<Relationship Id="s" Type="{OFFICE}/styles" Target="styles.xml"/>'
    )
    parts = {
        **PARTS,
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{related}'
        "</Relationships>",
        **{f"xl/worksheets/sheet{i}.xml": _sheet(sheets[name]) for i, name in numbered},
    }
    write_parts(path, parts)


def write_parts(path, parts):
    """Write an archive of these parts."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)


def _sheet(rows):
    lines = "".join(
        f'<row r="{i}">{"".join(_cell(cell, f"{chr(65 + j)}{i}") for j, cell in enumerate(row))}'
        "</row>"
        for i, row in enumerate(rows, 1)
    )
    return f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>'


def _cell(cell, reference):
    start = f'<c r="{reference}"'
    if cell is None:
        return ""
    if isinstance(cell, Error):
        return f'{start} t="e"><v>{escape(cell)}</v></c>'
    if isinstance(cell, str):
        return f'{start} t="inlineStr"><is><t xml:space="preserve">{escape(cell)}</t></is></c>'
    if isinstance(cell, bool):
        return f'{start} t="b"><v>{int(cell)}</v></c>'
    return f'{start} s="{STYLES.get(type(cell), 0)}"><v>{_number(cell)}</v></c>'


def _number(cell):
    """The number of days of a date, time or duration."""
    day = dt.timedelta(days=1)
    if isinstance(cell, dt.timedelta):
        return cell / day
    if isinstance(cell, dt.time):
        return (dt.datetime.combine(dt.date.min, cell) - dt.datetime.min) / day
    if isinstance(cell, dt.datetime):
        return (cell - dt.datetime(1899, 12, 30)) / day
    return (cell - dt.date(1899, 12, 30)).days if isinstance(cell, dt.date) else cell
