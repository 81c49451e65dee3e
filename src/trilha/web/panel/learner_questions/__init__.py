"""/admin/learner-questions: questions of learners, for the instructors of their courses to answer."""
