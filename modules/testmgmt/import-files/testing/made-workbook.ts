import { strToU8, zipSync } from 'fflate';

const sheet = (rows: readonly string[]) =>
  `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows.join('')}</sheetData></worksheet>`;
interface WorkbookOptions {
  readonly styles?: string;
  readonly is1904?: boolean;
  /** Another sheet stands before it, with this state. */
  readonly hidden?: 'hidden' | 'veryHidden';
}

/** A workbook in base64 whose first sheet is not its first file. Rows and shared texts are XML. */
export const workbook = (
  rows: readonly string[],
  texts: readonly string[] = [],
  { styles, is1904 = false, hidden }: WorkbookOptions = {},
) =>
  Buffer.from(
    zipSync({
      '[Content_Types].xml': strToU8('<Types/>'),
      'xl/workbook.xml': strToU8(
        `<workbook xmlns:r="r"><workbookPr${is1904 ? ' date1904="1"' : ''}/><sheets>${hidden ? `<sheet name="Lists" sheetId="3" state="${hidden}" r:id="rId8"/>` : ''}<sheet name="Tests" sheetId="1" r:id="rId7"/><sheet name="x" sheetId="2" r:id="rId8"/></sheets></workbook>`,
      ),
      'xl/_rels/workbook.xml.rels': strToU8(
        '<Relationships><Relationship Id="rId8" Target="worksheets/sheet1.xml"/><Relationship Id="rId7" Target="worksheets/sheet9.xml"/></Relationships>',
      ),
      ...(styles !== undefined && { 'xl/styles.xml': strToU8(styles) }),
      'xl/worksheets/sheet9.xml': strToU8(sheet(rows)),
      'xl/worksheets/sheet1.xml': strToU8(sheet(['<row><c t="inlineStr"><is><t>wrong</t></is></c></row>'])),
      'xl/sharedStrings.xml': strToU8(`<sst>${texts.map((text) => `<si>${text}</si>`).join('')}</sst>`),
    }),
  ).toString('base64');
