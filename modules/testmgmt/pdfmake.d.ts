// What is used of pdfmake 0.3, which has no types of its own.
declare module 'pdfmake/build/pdfmake.min.js' {
  const pdf: {
    addVirtualFileSystem(files: Readonly<Record<string, string>>): void;
    createPdf(document: Record<string, unknown>): { getBuffer(): Promise<Uint8Array> };
  };
  export default pdf;
}
declare module 'pdfmake/build/vfs_fonts.js' {
  const files: Readonly<Record<string, string>>;
  export default files;
}
