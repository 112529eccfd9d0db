// The typefaces of pdfmake 0.3, which has no types of its own: files by name, in base64.
declare module 'pdfmake/build/vfs_fonts.js' {
  const files: Readonly<Record<string, string>>;
  export default files;
}
