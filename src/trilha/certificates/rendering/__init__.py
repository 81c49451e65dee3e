"""How a certificate becomes a PDF: what it says, the processes that set it, and the job that has it done."""
