"""/admin/sessions: attendance of one session, the code of its room, signatures, lists on paper and scans."""
