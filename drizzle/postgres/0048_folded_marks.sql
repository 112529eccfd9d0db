-- Marks of texts with letters beyond ASCII are computed again: from now on they do not depend on case.
UPDATE testmgmt_text_marks SET
  m0 = -1, m1 = -1, m2 = -1, m3 = -1, m4 = -1, m5 = -1, m6 = -1, m7 = -1, m8 = -1, m9 = -1, m10 = -1, m11 = -1
WHERE test_id IN (
  SELECT id FROM testmgmt_tests
  WHERE octet_length(name || description || steps) <> char_length(name || description || steps)
);
