// The types of Trilha's API. Written by `python -m docs.clients`. Do not edit.

export interface paths {
  "/users": {
    /**
     * List users, newest first. With `updated_since`, users are ordered by their last change, oldest
     * first.
     *
     * Scope: `users:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "updated_since"?: string; "status"?: "ACTIVE" | "SUSPENDED" | "INACTIVE"; "email"?: string; "role"?: "learner" | "admin" | "gestor" | "instrutor"; "employee_number"?: string; "department"?: string; "business_unit_id"?: string; "q"?: string; "created_since"?: string; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["UserList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Create a user. If the request has no password, the response contains a temporary one in `_meta`, only
     * this once.
     *
     * Scope: `users:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string } };
      requestBody: { content: { "application/json": components["schemas"]["UserCreate"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CreatedUser"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/users/search": {
    /**
     * Find a user by CPF. The CPF is in the body because URLs end up in logs.
     *
     * Scope: `users:read`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string } };
      requestBody: { content: { "application/json": components["schemas"]["UserSearch"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["UserList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/users/bulk": {
    /**
     * Create or update up to 1000 users. Users are matched by employee number, then by e-mail address. An
     * item that fails does not affect the others, and an item that equals the stored user changes nothing.
     *
     * Scope: `users:write`.
     */
    put: {
      parameters: {};
      requestBody: { content: { "application/json": components["schemas"]["BulkUsersDescription"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["BulkUsersResultEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/users/{user_id}": {
    /**
     * Retrieve a user.
     *
     * Scope: `users:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "user_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["UserEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Update a user. Members that are left out do not change; null clears one. If the e-mail address changes,
     * the old address is notified.
     *
     * Scope: `users:write`.
     */
    patch: {
      parameters: { path: { "user_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["UserUpdate"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["UserEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/users/{user_id}/suspend": {
    /**
     * Suspend a user, which ends their sessions. Suspending a suspended user changes nothing.
     *
     * Scope: `users:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "user_id": string } };
      responses: { 204: { headers: { [name: string]: unknown }; content?: never }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/users/{user_id}/reactivate": {
    /**
     * End a user's suspension. The user can sign in again.
     *
     * Scope: `users:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "user_id": string } };
      responses: { 204: { headers: { [name: string]: unknown }; content?: never }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/custom-fields": {
    /**
     * List the company's custom fields. The operator creates them with `trilha custom-field create`.
     *
     * Scope: `users:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CustomFieldList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/courses": {
    /**
     * List courses, drafts included. `tags=a,b` returns courses with any of these tags.
     *
     * Scope: `courses:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "updated_since"?: string; "status"?: "DRAFT" | "PUBLISHED" | "ARCHIVED"; "slug"?: string; "category_id"?: string; "q"?: string; "tags"?: string; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CourseList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Create a course. It is a draft until you publish it, and accepts no enrollments.
     *
     * Scope: `courses:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string } };
      requestBody: { content: { "application/json": components["schemas"]["CourseCreate"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CourseEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/categories": {
    /**
     * List the categories of courses, by name.
     *
     * Scope: `courses:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ListedCategoryList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/courses/{course_id}": {
    /**
     * Get one course.
     *
     * Scope: `courses:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "course_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CourseEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Change a course. `null` clears an optional member.
     *
     * Scope: `courses:write`.
     */
    patch: {
      parameters: { path: { "course_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["CourseUpdate"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CourseEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/courses/{course_id}/publish": {
    /**
     * Open a course for enrollment: a draft, or one that is archived. A published course stays unchanged.
     *
     * Scope: `courses:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "course_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CourseEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/courses/{course_id}/archive": {
    /**
     * Close a published course for new enrollments; its learners can finish. An archived course stays
     * unchanged.
     *
     * Scope: `courses:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "course_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CourseEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/courses/{course_id}/modules": {
    /**
     * List a course's modules in the order in which learners take them.
     *
     * Scope: `courses:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "fields"?: string }; path: { "course_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ModuleList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Add a module as the last one of a course. An article, a quiz, a class or a practice is added at
     * once. A package, a document or a video is imported: the answer is the import, and its modules follow.
     *
     * Scope: `courses:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "course_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["ModuleCreate"]; "multipart/form-data": components["schemas"]["ModuleFile"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ModuleEnvelope"] } }; 202: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ModuleImportEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/courses/{course_id}/modules/{module_id}": {
    /**
     * Change a module. A published course keeps at least one required module.
     *
     * Scope: `courses:write`.
     */
    patch: {
      parameters: { path: { "course_id": string; "module_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["ModuleUpdate"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ModuleEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Remove a module from its course. What learners did in it stays as evidence.
     *
     * Scope: `courses:write`.
     */
    delete: {
      parameters: { path: { "course_id": string; "module_id": string } };
      responses: { 204: { headers: { [name: string]: unknown }; content?: never }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/courses/{course_id}/modules/{module_id}/move": {
    /**
     * Move a module to another place in its course. The other modules keep their order.
     *
     * Scope: `courses:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "course_id": string; "module_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["ModuleMove"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ModuleEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/module-imports": {
    /**
     * List imports of modules, newest first. An import can be read for 30 days after its end.
     *
     * Scope: `courses:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "course_id"?: string; "status"?: "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED"; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ModuleImportList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/module-imports/{module_import_id}": {
    /**
     * Get the status of an import, and the report on its package.
     *
     * Scope: `courses:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "module_import_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ModuleImportEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/courses/{course_id}/translations/{language}": {
    /**
     * Get a course's texts in one of its further languages.
     *
     * Scope: `courses:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "course_id": string; "language": "pt-BR" | "en" | "es" } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["TranslationEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Replace a course's texts in a further language, which is added if the course lacks it. What you leave
     * out is not translated. Texts of lessons stay as they are.
     *
     * Scope: `courses:write`.
     */
    put: {
      parameters: { path: { "course_id": string; "language": "pt-BR" | "en" | "es" } };
      requestBody: { content: { "application/json": components["schemas"]["TranslationTexts"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["TranslationEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Remove a further language from a course, with all texts and lessons in it. The progress of learners
     * stays.
     *
     * Scope: `courses:write`.
     */
    delete: {
      parameters: { path: { "course_id": string; "language": "pt-BR" | "en" | "es" } };
      responses: { 204: { headers: { [name: string]: unknown }; content?: never }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/courses/{course_id}/modules/{module_id}/translations/{language}": {
    /**
     * Get the text of an article in one of the course's further languages, in Markdown.
     *
     * Scope: `courses:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "course_id": string; "module_id": string; "language": "pt-BR" | "en" | "es" } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["LessonTranslationEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Publish the text of an article in a further language, as a new version. The language is added if the
     * course lacks it.
     *
     * Scope: `courses:write`.
     */
    put: {
      parameters: { path: { "course_id": string; "module_id": string; "language": "pt-BR" | "en" | "es" } };
      requestBody: { content: { "application/json": components["schemas"]["LessonTexts"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["LessonTranslationEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/catalog": {
    /**
     * List the published courses in which people may enroll themselves, by title.
     *
     * Scope: `courses:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "q"?: string; "category_id"?: string; "tags"?: string; "self_enrollment"?: "OPEN" | "APPROVAL"; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CourseList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/enrollments": {
    /**
     * List enrollments, newest first. With `updated_since`, they are ordered by last change, oldest first.
     *
     * Scope: `enrollments:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "updated_since"?: string; "user_id"?: string; "course_id"?: string; "status"?: string; "completed_since"?: string; "completed_before"?: string; "expires_before"?: string; "created_since"?: string; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["EnrollmentList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Enroll one user in one course.
     *
     * Scope: `enrollments:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string } };
      requestBody: { content: { "application/json": components["schemas"]["EnrollmentCreate"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["EnrollmentEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/enrollments/bulk": {
    /**
     * Enroll up to 1000 pairs of user and course. Duplicates are skipped, and a failed item does not affect
     * the others.
     *
     * Scope: `enrollments:bulk`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string } };
      requestBody: { content: { "application/json": components["schemas"]["BulkEnrollments"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["BulkResultEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/enrollments/import": {
    /**
     * Import up to 1000 completions from another system. No events are emitted. Completions that were
     * imported before are skipped, and a failed item does not affect the others.
     *
     * Scope: `enrollments:bulk`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string } };
      requestBody: { content: { "application/json": components["schemas"]["PastCompletions"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["BulkResultEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/enrollments/{enrollment_id}": {
    /**
     * Get one enrollment.
     *
     * Scope: `enrollments:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "enrollment_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["EnrollmentEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Change when an enrollment expires. An expired enrollment reopens and keeps its progress.
     *
     * Scope: `enrollments:write`.
     */
    patch: {
      parameters: { path: { "enrollment_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["EnrollmentUpdate"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["EnrollmentEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Cancel an enrollment. Its learning records are kept as evidence.
     *
     * Scope: `enrollments:write`.
     */
    delete: {
      parameters: { path: { "enrollment_id": string } };
      responses: { 204: { headers: { [name: string]: unknown }; content?: never }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/enrollments/{enrollment_id}/interactions": {
    /**
     * List the learner's latest answer to each question. The list is empty if no module reports answers.
     *
     * Scope: `enrollments:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "fields"?: string }; path: { "enrollment_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["InteractionList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/users/{user_id}/enrollments": {
    /**
     * List one user's enrollments, newest first.
     *
     * Scope: `enrollments:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "updated_since"?: string; "fields"?: string }; path: { "user_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["EnrollmentList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/users/{user_id}/enrollment-requests": {
    /**
     * Ask to enroll a user. In a course that is `OPEN` the user is enrolled at once and the request is
     * `APPROVED`. Otherwise it waits for the user's manager or an administrator.
     *
     * Scope: `enrollments:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "user_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["EnrollmentRequestCreate"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["EnrollmentRequestEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/enrollment-requests": {
    /**
     * List requests, newest first. With `updated_since`, they are ordered by last change, oldest first.
     *
     * Scope: `enrollments:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "updated_since"?: string; "user_id"?: string; "course_id"?: string; "status"?: string; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["EnrollmentRequestList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/enrollment-requests/{enrollment_request_id}": {
    /**
     * Get one request.
     *
     * Scope: `enrollments:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "enrollment_request_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["EnrollmentRequestEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/enrollment-requests/{enrollment_request_id}/approve": {
    /**
     * Approve a request: the user is enrolled and told. The checks are those of an enrollment.
     *
     * Scope: `enrollments:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "enrollment_request_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["Approval"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["EnrollmentRequestEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/enrollment-requests/{enrollment_request_id}/reject": {
    /**
     * Reject a request. The user is told, with the reason.
     *
     * Scope: `enrollments:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "enrollment_request_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["Rejection"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["EnrollmentRequestEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/reminder-settings": {
    /**
     * Retrieve when reminders are sent, and which.
     *
     * Scope: `requirements:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ReminderSettingsEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Change when reminders are sent, and which. Members that are left out do not change.
     *
     * Scope: `requirements:write`.
     */
    patch: {
      parameters: {};
      requestBody: { content: { "application/json": components["schemas"]["ReminderSettingsUpdate"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ReminderSettingsEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/enrollments/{enrollment_id}/remind": {
    /**
     * Remind a user of an enrollment, with a text of your own. A user is reminded by hand at most once in 24
     * hours, whatever the enrollment.
     *
     * Scope: `requirements:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "enrollment_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["ReminderCreate"] } };
      responses: { 202: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["SentReminderEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/users/{user_id}/push-subscriptions": {
    /**
     * Add a browser that gets a user's reminders as push messages. The same endpoint is there once.
     *
     * Scope: `requirements:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "user_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["PushSubscriptionCreate"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["PushSubscriptionEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/certificates": {
    /**
     * List certificates, newest first.
     *
     * Scope: `certificates:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "updated_since"?: string; "user_id"?: string; "course_id"?: string; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CertificateList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/certificates/{certificate_id}": {
    /**
     * Get one certificate.
     *
     * Scope: `certificates:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "certificate_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CertificateEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/users/{user_id}/certificates": {
    /**
     * List one user's certificates, newest first.
     *
     * Scope: `certificates:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "updated_since"?: string; "fields"?: string }; path: { "user_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CertificateList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/certificates/verify/{code}": {
    /**
     * Verify a certificate by its verification code. No authentication is required.
     *
     * The code is not case-sensitive, and spaces and hyphens are ignored. The response is 200 for every code.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "code": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["VerificationEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/enrollments/{enrollment_id}/statements": {
    /**
     * List the statements of the enrollment's registration, oldest first. Voided ones are left out.
     *
     * Scope: `enrollments:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "fields"?: string }; path: { "enrollment_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["StatementList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/classes": {
    /**
     * List classes with their sessions, newest first. With `updated_since`, they are ordered by last change,
     * oldest first.
     *
     * Scope: `classes:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "updated_since"?: string; "course_id"?: string; "status"?: "SCHEDULED" | "ENDED" | "CANCELLED"; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["TrainingClassList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Create a class of a module. Sessions may lie in the past. Rooms and instructors that are in two
     * sessions at once are in `_meta.warnings`.
     *
     * Scope: `classes:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string } };
      requestBody: { content: { "application/json": components["schemas"]["ClassCreate"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ChangedClass"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/classes/{class_id}": {
    /**
     * Get one class.
     *
     * Scope: `classes:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "class_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["TrainingClassEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Change a class. With more places, the people who wait first move up at once. Sessions of other classes
     * where they have a place at the same time are in `_meta.warnings`.
     *
     * Scope: `classes:write`.
     */
    patch: {
      parameters: { path: { "class_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["ClassUpdate"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ChangedClass"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/classes/{class_id}/cancel": {
    /**
     * Cancel a class with all its sessions. Their attendance no longer counts. A cancelled class stays
     * unchanged.
     *
     * Scope: `classes:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "class_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["Cancellation"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["TrainingClassEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/classes/{class_id}/sessions": {
    /**
     * List the sessions of a class by start.
     *
     * Scope: `classes:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "fields"?: string }; path: { "class_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ClassSessionList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Add a session to a class. Rooms, instructors and learners that are in two sessions at once are in
     * `_meta.warnings`.
     *
     * Scope: `classes:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "class_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["SessionCreate"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ChangedSession"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/sessions/{class_session_id}": {
    /**
     * Get one session of a class.
     *
     * Scope: `classes:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "class_session_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ClassSessionEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Change the time, the place, the link or the instructors of a session.
     *
     * Scope: `classes:write`.
     */
    patch: {
      parameters: { path: { "class_session_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["SessionUpdate"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ChangedSession"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/sessions/{class_session_id}/cancel": {
    /**
     * Cancel a session. Its attendance no longer counts. A cancelled session stays unchanged.
     *
     * Scope: `classes:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "class_session_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["Cancellation"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ClassSessionEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/classes/{class_id}/registrations": {
    /**
     * List the registrations in a class, oldest first, cancelled ones included.
     *
     * Scope: `classes:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "status"?: "REGISTERED" | "WAITLISTED" | "CANCELLED"; "user_id"?: string; "fields"?: string }; path: { "class_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ClassRegistrationList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Register a user in a class, and enroll them in its course if they are not enrolled. In a full class,
     * they are put on the waiting list.
     *
     * Scope: `classes:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "class_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["RegistrationCreate"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["MadeRegistration"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/classes/{class_id}/registrations/bulk": {
    /**
     * Register up to 1000 users in a class, in this order. A failed one does not affect the others.
     *
     * Scope: `classes:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "class_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["BulkRegistrations"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["MadeRegistrations"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/classes/{class_id}/registrations/{registration_id}": {
    /**
     * Get one registration.
     *
     * Scope: `classes:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "class_id": string; "registration_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ClassRegistrationEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/classes/{class_id}/registrations/{registration_id}/cancel": {
    /**
     * Cancel a registration. Whoever waits first moves up at once. The user stays enrolled in the course.
     *
     * Scope: `classes:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "class_id": string; "registration_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["RegistrationCancellation"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ClassRegistrationEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/sessions/{class_session_id}/attendance": {
    /**
     * List the attendance of everybody with a place in the class, in the order of registration.
     *
     * Scope: `classes:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "fields"?: string }; path: { "class_session_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["AttendanceList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Record the attendance of up to 1000 people: all of them, or none. People who are not listed stay
     * unchanged. A changed number of minutes needs a `reason`. Completion follows within seconds.
     *
     * Scope: `classes:write`.
     */
    put: {
      parameters: { path: { "class_session_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["AttendanceSheet"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["AttendanceListEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/sessions/{class_session_id}/check-in-code": {
    /**
     * Get the code to show in the room as a QR code. There is a new one every 15 seconds, and each is good
     * for at most 30 seconds.
     *
     * Scope: `classes:write`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "class_session_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CheckInCodeEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/practice-assessments": {
    /**
     * List assessments with their ratings, newest first. With `updated_since`, they are ordered by last
     * change, oldest first.
     *
     * Scope: `practice:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "updated_since"?: string; "enrollment_id"?: string; "user_id"?: string; "module_id"?: string; "status"?: "OPEN" | "ASSESSED" | "SIGNED" | "ANNULLED"; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["PracticeAssessmentList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Record an assessment. It counts once the assessor and the learner have signed it, each on a page of
     * their own: nobody signs for another.
     *
     * Scope: `practice:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string } };
      requestBody: { content: { "application/json": components["schemas"]["AssessmentCreate"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["PracticeAssessmentEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/practice-assessments/{practice_assessment_id}": {
    /**
     * Get one assessment with its ratings.
     *
     * Scope: `practice:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "practice_assessment_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["PracticeAssessmentEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/practice-assessments/{practice_assessment_id}/annul": {
    /**
     * Annul an assessment, which then no longer counts. A completed enrollment stays completed. An annulled
     * assessment stays unchanged.
     *
     * Scope: `practice:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "practice_assessment_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["Annulment"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["PracticeAssessmentEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/qualifications": {
    /**
     * List qualifications, newest first. With `updated_since`, they are ordered by last change, oldest
     * first.
     *
     * Scope: `practice:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "updated_since"?: string; "user_id"?: string; "state"?: "VALID" | "EXPIRING" | "EXPIRED" | "UPCOMING"; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["QualificationList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Add a qualification to a user. Its document is uploaded in the panel.
     *
     * Scope: `practice:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string } };
      requestBody: { content: { "application/json": components["schemas"]["QualificationCreate"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["QualificationEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/qualifications/{qualification_id}": {
    /**
     * Get one qualification.
     *
     * Scope: `practice:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "qualification_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["QualificationEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Change a qualification, for example after its renewal. Signed assessments keep what it was.
     *
     * Scope: `practice:write`.
     */
    patch: {
      parameters: { path: { "qualification_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["QualificationUpdate"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["QualificationEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Remove a qualification with its document. Signed assessments keep what it was.
     *
     * Scope: `practice:write`.
     */
    delete: {
      parameters: { path: { "qualification_id": string } };
      responses: { 204: { headers: { [name: string]: unknown }; content?: never }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/enrollments/{enrollment_id}/launch": {
    /**
     * Create a link that signs the learner in and opens a module. It works once, within 5 minutes. Only for
     * users with the role `learner`.
     *
     * Scope: `enrollments:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "enrollment_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["LaunchLinkCreate"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["LaunchLinkEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/requirements": {
    /**
     * List requirements, newest first.
     *
     * Scope: `requirements:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["RequirementList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Create a requirement. Trilha enrolls the people to whom its rule applies within a minute.
     *
     * Scope: `requirements:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string } };
      requestBody: { content: { "application/json": components["schemas"]["RequirementCreate"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["RequirementEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/requirements/preview": {
    /**
     * Show to whom a requirement would apply, and who would be enrolled when. Nothing is saved.
     *
     * Scope: `requirements:read`.
     */
    post: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "fields"?: string }; header?: { "Idempotency-Key"?: string } };
      requestBody: { content: { "application/json": components["schemas"]["RequirementCreate"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["PreviewPage"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/requirements/{requirement_id}": {
    /**
     * Retrieve a requirement.
     *
     * Scope: `requirements:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "requirement_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["RequirementEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Update a requirement. The days until it is due do not begin anew for people to whom it applies.
     *
     * Scope: `requirements:write`.
     */
    patch: {
      parameters: { path: { "requirement_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["RequirementUpdate"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["RequirementEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Delete a requirement. People keep what they have begun.
     *
     * Scope: `requirements:write`.
     */
    delete: {
      parameters: { path: { "requirement_id": string } };
      responses: { 204: { headers: { [name: string]: unknown }; content?: never }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/requirements/{requirement_id}/people": {
    /**
     * List the people to whom a requirement applies, and where each of them stands.
     *
     * Scope: `requirements:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "state"?: "VALID" | "DUE_SOON" | "OVERDUE" | "MISSING" | "EXCUSED"; "fields"?: string }; path: { "requirement_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["RequirementPersonList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/users/{user_id}/requirements": {
    /**
     * List the requirements that apply to a user, the earliest due date first.
     *
     * Scope: `requirements:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "fields"?: string }; path: { "user_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["PersonRequirementList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/courses/{course_id}/ratings": {
    /**
     * Get the average ratings of a course. Nobody's own answer can be derived from them.
     *
     * Scope: `analytics:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "course_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CourseRatingsEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/courses/{course_id}/stats": {
    /**
     * Get one course's enrollment counts, rates and averages.
     *
     * Scope: `analytics:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "course_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CourseStatsEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/analytics/completion": {
    /**
     * Get enrollment counts by status, overall and by course.
     *
     * Scope: `analytics:read`.
     */
    get: {
      parameters: { query?: { "course_id"?: string; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["CompletionReportEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/analytics/exports": {
    /**
     * Download enrollments as CSV, newest first, up to 50,000 of them.
     *
     * The columns are `student_name, student_email, course, status, progress, score, enrolled_at, started_at,
     * completed_at, expires_at` (RFC 4180, UTF-8). A cell that a spreadsheet would run as a formula begins with
     * an apostrophe. If there are more rows, the response has the header `X-Truncated: true`.
     *
     * Scope: `analytics:read`.
     */
    get: {
      parameters: { query?: { "type"?: "csv"; "course_id"?: string; "status"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "text/csv": string } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Create an export of any number of enrollments as CSV, XLSX or Parquet.
     *
     * Poll the export until it is READY. XLSX and Parquet store texts as texts, and times in UTC. A sheet of
     * XLSX has up to 1,048,575 rows; further rows continue on the next sheet.
     *
     * Scope: `analytics:read`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string } };
      requestBody: { content: { "application/json": components["schemas"]["ExportCreate"] } };
      responses: { 202: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["RequestedExportEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/analytics/exports/{export_id}": {
    /**
     * Get the progress of an export and, once READY, the link to its file.
     *
     * Scope: `analytics:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "export_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ExportEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/events": {
    /**
     * List the events of the last 30 days, newest first. With `after`, list the events that followed it,
     * oldest first.
     *
     * Scope: `webhooks:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "type"?: "user.created" | "user.updated" | "user.suspended" | "user.reactivated" | "user.deleted" | "user.role_changed" | "course.created" | "course.updated" | "course.archived" | "course.rated" | "learning_path.assigned" | "learning_path.completed" | "enrollment.created" | "enrollment.started" | "enrollment.progress" | "enrollment.completed" | "enrollment.expired" | "enrollment.updated" | "enrollment.cancelled" | "enrollment.requested" | "class.created" | "class.updated" | "class.cancelled" | "registration.created" | "registration.waitlisted" | "registration.cancelled" | "attendance.recorded" | "practice.assessed" | "requirement.assigned" | "requirement.satisfied" | "requirement.overdue" | "requirement.released" | "reminder.sent" | "certificate.issued" | "certificate.revoked" | "certificate.expiring" | "assessment.attempted" | "assessment.passed" | "assessment.failed" | "voice_activity.completed" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "webhook.test" | "webhook.activated" | "webhook.failed" | "xapi_pipe.paused"; "after"?: string; "since"?: string; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["EventEnvelopeList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/webhooks/event-types": {
    /**
     * List all event types, with the JSON Schema of their data.
     *
     * Scope: `webhooks:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["EventDescriptionList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/webhooks": {
    /**
     * List webhook endpoints, newest first.
     *
     * Scope: `webhooks:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "fields"?: string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["EndpointList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Create a webhook endpoint. The response contains its signing secret, which is not returned again.
     *
     * Scope: `webhooks:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string } };
      requestBody: { content: { "application/json": components["schemas"]["EndpointCreate"] } };
      responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["IssuedEndpointEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/webhooks/{webhook_id}": {
    /**
     * Retrieve a webhook endpoint.
     *
     * Scope: `webhooks:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "webhook_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["EndpointEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Update a webhook endpoint. While an endpoint is inactive, its pending deliveries wait.
     *
     * Scope: `webhooks:write`.
     */
    patch: {
      parameters: { path: { "webhook_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["EndpointUpdate"] } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["EndpointEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
    /**
     * Delete a webhook endpoint and its history. It receives no more requests.
     *
     * Scope: `webhooks:write`.
     */
    delete: {
      parameters: { path: { "webhook_id": string } };
      responses: { 204: { headers: { [name: string]: unknown }; content?: never }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/webhooks/{webhook_id}/rotate-secret": {
    /**
     * Rotate the signing secret of an endpoint. The new secret is returned only once. Deliveries are also
     * signed with the previous secret for 24 hours.
     *
     * Scope: `webhooks:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "webhook_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["IssuedEndpointEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/webhooks/{webhook_id}/test": {
    /**
     * Send a `webhook.test` event to an endpoint. It is sent even if the endpoint is inactive or does not
     * subscribe to the event.
     *
     * Scope: `webhooks:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "webhook_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["DeliveryEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/webhooks/{webhook_id}/replay": {
    /**
     * Send past events again: those of a time range within the last 30 days.
     *
     * `webhook.test` events and the endpoint's own `webhook.failed` events are not sent again.
     *
     * Scope: `webhooks:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "webhook_id": string } };
      requestBody: { content: { "application/json": components["schemas"]["ReplayCreate"] } };
      responses: { 202: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ReplayEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/webhooks/{webhook_id}/replays": {
    /**
     * List the replays of an endpoint, newest first. Finished replays are kept as long as deliveries.
     *
     * Scope: `webhooks:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "fields"?: string }; path: { "webhook_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ReplayList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/webhooks/{webhook_id}/replays/{replay_id}": {
    /**
     * Retrieve a replay and its progress.
     *
     * Scope: `webhooks:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "webhook_id": string; "replay_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ReplayEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/webhooks/{webhook_id}/deliveries": {
    /**
     * List the deliveries of an endpoint with their attempts, newest first.
     *
     * Scope: `webhooks:read`.
     */
    get: {
      parameters: { query?: { "limit"?: number; "cursor"?: string; "status"?: "PENDING" | "DELIVERED" | "DEAD_LETTER"; "event_type"?: "user.created" | "user.updated" | "user.suspended" | "user.reactivated" | "user.deleted" | "user.role_changed" | "course.created" | "course.updated" | "course.archived" | "course.rated" | "learning_path.assigned" | "learning_path.completed" | "enrollment.created" | "enrollment.started" | "enrollment.progress" | "enrollment.completed" | "enrollment.expired" | "enrollment.updated" | "enrollment.cancelled" | "enrollment.requested" | "class.created" | "class.updated" | "class.cancelled" | "registration.created" | "registration.waitlisted" | "registration.cancelled" | "attendance.recorded" | "practice.assessed" | "requirement.assigned" | "requirement.satisfied" | "requirement.overdue" | "requirement.released" | "reminder.sent" | "certificate.issued" | "certificate.revoked" | "certificate.expiring" | "assessment.attempted" | "assessment.passed" | "assessment.failed" | "voice_activity.completed" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "webhook.test" | "webhook.activated" | "webhook.failed" | "xapi_pipe.paused"; "since"?: string; "until"?: string; "fields"?: string }; path: { "webhook_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["DeliveryList"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/webhooks/{webhook_id}/deliveries/{delivery_id}": {
    /**
     * Retrieve a delivery with its attempts.
     *
     * Scope: `webhooks:read`.
     */
    get: {
      parameters: { query?: { "fields"?: string }; path: { "webhook_id": string; "delivery_id": string } };
      responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["DeliveryEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
  "/webhooks/{webhook_id}/deliveries/{delivery_id}/retry": {
    /**
     * Retry a delivery with the endpoint's current URL and secrets. This starts a new cycle of attempts.
     *
     * Scope: `webhooks:write`.
     */
    post: {
      parameters: { header?: { "Idempotency-Key"?: string }; path: { "webhook_id": string; "delivery_id": string } };
      responses: { 202: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["DeliveryEnvelope"] } }; default: { headers: { [name: string]: unknown }; content: { "application/json": components["schemas"]["ErrorEnvelope"] } } };
    };
  };
}

export interface webhooks {
  "user.created": {
    id: string;
    type: "user.created";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["UserCreated"];
  };
  "user.updated": {
    id: string;
    type: "user.updated";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["UserUpdated"];
  };
  "user.suspended": {
    id: string;
    type: "user.suspended";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["UserSuspended"];
  };
  "user.reactivated": {
    id: string;
    type: "user.reactivated";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["UserReactivated"];
  };
  "user.deleted": {
    id: string;
    type: "user.deleted";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["UserDeleted"];
  };
  "user.role_changed": {
    id: string;
    type: "user.role_changed";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["UserRoleChanged"];
  };
  "course.created": {
    id: string;
    type: "course.created";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["CourseCreated"];
  };
  "course.updated": {
    id: string;
    type: "course.updated";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["CourseUpdated"];
  };
  "course.archived": {
    id: string;
    type: "course.archived";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["CourseArchived"];
  };
  "course.rated": {
    id: string;
    type: "course.rated";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["CourseRated"];
  };
  "learning_path.assigned": {
    id: string;
    type: "learning_path.assigned";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["LearningPathAssigned"];
  };
  "learning_path.completed": {
    id: string;
    type: "learning_path.completed";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["LearningPathCompleted"];
  };
  "enrollment.created": {
    id: string;
    type: "enrollment.created";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["EnrollmentCreated"];
  };
  "enrollment.started": {
    id: string;
    type: "enrollment.started";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["EnrollmentStarted"];
  };
  "enrollment.progress": {
    id: string;
    type: "enrollment.progress";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["EnrollmentProgress"];
  };
  "enrollment.completed": {
    id: string;
    type: "enrollment.completed";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["EnrollmentCompleted"];
  };
  "enrollment.expired": {
    id: string;
    type: "enrollment.expired";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["EnrollmentExpired"];
  };
  "enrollment.updated": {
    id: string;
    type: "enrollment.updated";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["EnrollmentUpdated"];
  };
  "enrollment.cancelled": {
    id: string;
    type: "enrollment.cancelled";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["EnrollmentCancelled"];
  };
  "enrollment.requested": {
    id: string;
    type: "enrollment.requested";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["EnrollmentRequested"];
  };
  "class.created": {
    id: string;
    type: "class.created";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["ClassCreated"];
  };
  "class.updated": {
    id: string;
    type: "class.updated";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["ClassUpdated"];
  };
  "class.cancelled": {
    id: string;
    type: "class.cancelled";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["ClassCancelled"];
  };
  "registration.created": {
    id: string;
    type: "registration.created";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["RegistrationCreated"];
  };
  "registration.waitlisted": {
    id: string;
    type: "registration.waitlisted";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["RegistrationWaitlisted"];
  };
  "registration.cancelled": {
    id: string;
    type: "registration.cancelled";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["RegistrationCancelled"];
  };
  "attendance.recorded": {
    id: string;
    type: "attendance.recorded";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["AttendanceRecorded"];
  };
  "practice.assessed": {
    id: string;
    type: "practice.assessed";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["PracticeAssessed"];
  };
  "requirement.assigned": {
    id: string;
    type: "requirement.assigned";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["RequirementAssigned"];
  };
  "requirement.satisfied": {
    id: string;
    type: "requirement.satisfied";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["RequirementSatisfied"];
  };
  "requirement.overdue": {
    id: string;
    type: "requirement.overdue";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["RequirementOverdue"];
  };
  "requirement.released": {
    id: string;
    type: "requirement.released";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["RequirementReleased"];
  };
  "reminder.sent": {
    id: string;
    type: "reminder.sent";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["ReminderSent"];
  };
  "certificate.issued": {
    id: string;
    type: "certificate.issued";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["CertificateIssued"];
  };
  "certificate.revoked": {
    id: string;
    type: "certificate.revoked";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["CertificateRevoked"];
  };
  "certificate.expiring": {
    id: string;
    type: "certificate.expiring";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["CertificateExpiring"];
  };
  "assessment.attempted": {
    id: string;
    type: "assessment.attempted";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["AssessmentAttempted"];
  };
  "assessment.passed": {
    id: string;
    type: "assessment.passed";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["AssessmentPassed"];
  };
  "assessment.failed": {
    id: string;
    type: "assessment.failed";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["AssessmentFailed"];
  };
  "voice_activity.completed": {
    id: string;
    type: "voice_activity.completed";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["VoiceActivityCompleted"];
  };
  "api_key.created": {
    id: string;
    type: "api_key.created";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["ApiKeyCreated"];
  };
  "api_key.rotated": {
    id: string;
    type: "api_key.rotated";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["ApiKeyRotated"];
  };
  "api_key.revoked": {
    id: string;
    type: "api_key.revoked";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["ApiKeyRevoked"];
  };
  "webhook.test": {
    id: string;
    type: "webhook.test";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["WebhookTest"];
  };
  "webhook.activated": {
    id: string;
    type: "webhook.activated";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["WebhookActivated"];
  };
  "webhook.failed": {
    id: string;
    type: "webhook.failed";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["WebhookFailed"];
  };
  "xapi_pipe.paused": {
    id: string;
    type: "xapi_pipe.paused";
    created: number;
    version: string;
    tenant_id: string;
    data: components["schemas"]["XapiPipePaused"];
  };
}

export interface components {
  schemas: {
    /**
     * The response to every failed request.
     */
    ErrorEnvelope: {
      error: components["schemas"]["ErrorBody"];
    };
    /**
     * An error. `code` is stable and from a closed list. `message` explains it for people. `field` is the
     * invalid field, if the error is about one.
     */
    ErrorBody: {
      type: "validation_error" | "authentication_error" | "authorization_error" | "not_found" | "conflict" | "business_rule" | "rate_limited" | "internal_error";
      code: string;
      message: string;
      field?: string;
      /**
       * Of a `validation_error` the list of all problems: each an object with `field`, `code` and `message`, and with
       * what is allowed, in `allowed`, `minimum` and `maximum`. Else an object: the context of the code.
       */
      detail?: unknown;
      request_id?: string;
    };
    /**
     * An event. `created` is in Unix seconds. `data` depends on the type.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    EventEnvelope: {
      id: string;
      type: string;
      created: number;
      version: string;
      tenant_id: string;
      data: { [name: string]: unknown };
    };
    /**
     * Sent when a user is created: in the panel, through the API, by an import or by provisioning.
     */
    UserCreated: {
      user_id: string;
      role: string;
      status: string;
    };
    /**
     * Sent when a user's profile changes. `changed` lists the changed fields, including `email` and
     * `status`.
     */
    UserUpdated: {
      user_id: string;
      changed: (string)[];
    };
    /**
     * Sent when an active user is suspended.
     */
    UserSuspended: {
      user_id: string;
    };
    /**
     * Sent when a suspended user is reactivated.
     */
    UserReactivated: {
      user_id: string;
    };
    /**
     * Sent when a user's personal data is erased. Training records are kept without a name.
     */
    UserDeleted: {
      user_id: string;
    };
    /**
     * Sent when a user's role changes.
     */
    UserRoleChanged: {
      user_id: string;
      role: string;
      previous_role: string;
    };
    /**
     * Sent when a course is created. New courses are drafts.
     */
    CourseCreated: {
      course_id: string;
      slug: string;
      status: string;
    };
    /**
     * Sent when a course is published or restored, or when the course or one of its modules changes.
     */
    CourseUpdated: {
      course_id: string;
      slug: string;
      status: string;
    };
    /**
     * Sent when a course is archived. It accepts no new enrollments; open enrollments continue.
     */
    CourseArchived: {
      course_id: string;
      slug: string;
      status: string;
    };
    /**
     * Sent when at least five more people's evaluations of a course are published. `rating_count` is how many
     * there are, and `nps` the net promoter score from -100 to 100. It names no person and no enrollment: the
     * answers are anonymous.
     */
    CourseRated: {
      course_id: string;
      rating_count: number;
      nps: number;
    };
    /**
     * Sent when a learning path is assigned to a user.
     */
    LearningPathAssigned: {
      learning_path_id: string;
      user_id: string;
    };
    /**
     * Sent when a user completes the last course of a learning path.
     */
    LearningPathCompleted: {
      learning_path_id: string;
      user_id: string;
      completed_at: string;
    };
    /**
     * Sent when a user is enrolled in a course, individually or in bulk.
     */
    EnrollmentCreated: {
      enrollment_id: string;
      user_id: string;
      course_id: string;
      expires_at: string | null;
    };
    /**
     * Sent when the first module of an enrollment is launched.
     */
    EnrollmentStarted: {
      enrollment_id: string;
      user_id: string;
      course_id: string;
      started_at: string;
    };
    /**
     * Sent when the progress of an enrollment increases: at most once per 5 points or 60 seconds.
     */
    EnrollmentProgress: {
      enrollment_id: string;
      user_id: string;
      course_id: string;
      progress_percent: number;
    };
    /**
     * Sent when an enrollment meets the last of its completion criteria.
     */
    EnrollmentCompleted: {
      enrollment_id: string;
      user_id: string;
      course_id: string;
      progress_percent: number;
      score: number | null;
      completed_at: string;
    };
    /**
     * Sent within a minute after an enrollment passes its `expires_at` without being completed.
     */
    EnrollmentExpired: {
      enrollment_id: string;
      user_id: string;
      course_id: string;
      expires_at: string;
    };
    /**
     * Sent when the due date of an enrollment changes. A later date can reopen an expired enrollment.
     */
    EnrollmentUpdated: {
      enrollment_id: string;
      user_id: string;
      course_id: string;
      status: string;
      expires_at: string | null;
    };
    /**
     * Sent when an enrollment is cancelled. Its learning records are kept.
     */
    EnrollmentCancelled: {
      enrollment_id: string;
      user_id: string;
      course_id: string;
      cancelled_at: string;
    };
    /**
     * Sent when a person asks to be enrolled in a course of the catalog, once for each request. `status` is
     * `WAITING`, or `APPROVED` if the course is open to everyone; `enrollment.created` is then sent too.
     */
    EnrollmentRequested: {
      request_id: string;
      user_id: string;
      course_id: string;
      status: string;
    };
    /**
     * Sent when a class of a course is created.
     */
    ClassCreated: {
      class_id: string;
      course_id: string;
    };
    /**
     * Sent when a class changes, or one of its sessions is added, changed or cancelled.
     */
    ClassUpdated: {
      class_id: string;
      course_id: string;
    };
    /**
     * Sent when a class is cancelled with all its sessions. People stay registered.
     */
    ClassCancelled: {
      class_id: string;
      course_id: string;
    };
    /**
     * Sent when a person gets a place in a class, also from its waiting list.
     */
    RegistrationCreated: {
      registration_id: string;
      class_id: string;
      user_id: string;
      course_id: string;
      status: string;
    };
    /**
     * Sent when a person is put on the waiting list of a full class.
     */
    RegistrationWaitlisted: {
      registration_id: string;
      class_id: string;
      user_id: string;
      course_id: string;
      status: string;
    };
    /**
     * Sent when a registration is cancelled, from a place or from the waiting list.
     */
    RegistrationCancelled: {
      registration_id: string;
      class_id: string;
      user_id: string;
      course_id: string;
      status: string;
    };
    /**
     * Sent when the minutes that a person was in a session are recorded or corrected.
     */
    AttendanceRecorded: {
      session_id: string;
      class_id: string;
      user_id: string;
      minutes: number;
    };
    /**
     * Sent when an assessment of practice is final: an unsatisfactory one once its assessor signs, and a
     * satisfactory one when the learner has signed, too.
     */
    PracticeAssessed: {
      assessment_id: string;
      enrollment_id: string;
      user_id: string;
      course_id: string;
      module_id: string;
      result: string;
    };
    /**
     * Sent when a requirement starts to apply to a person, even if they meet it already.
     */
    RequirementAssigned: {
      requirement_id: string;
      user_id: string;
      course_id: string | null;
      learning_path_id: string | null;
    };
    /**
     * Sent when a person meets a requirement: once for each completion that does.
     */
    RequirementSatisfied: {
      requirement_id: string;
      user_id: string;
      course_id: string | null;
      learning_path_id: string | null;
    };
    /**
     * Sent when a due date passes without the person meeting the requirement, once for each due date.
     */
    RequirementOverdue: {
      requirement_id: string;
      user_id: string;
      course_id: string | null;
      learning_path_id: string | null;
    };
    /**
     * Sent when a requirement stops applying to a person.
     */
    RequirementReleased: {
      requirement_id: string;
      user_id: string;
      course_id: string | null;
      learning_path_id: string | null;
    };
    /**
     * Sent when a person, `user_id`, is reminded of an enrollment, once for each kind and channel.
     */
    ReminderSent: {
      user_id: string;
      enrollment_id: string;
      kind: string;
      channel: string;
    };
    /**
     * Sent when a certificate is issued for a completed enrollment. `expires_at` is null if the
     * certificate never expires.
     */
    CertificateIssued: {
      certificate_id: string;
      enrollment_id: string;
      user_id: string;
      course_id: string;
      issued_at: string;
      expires_at: string | null;
    };
    /**
     * Sent when a certificate is revoked.
     */
    CertificateRevoked: {
      certificate_id: string;
      enrollment_id: string;
      user_id: string;
      course_id: string;
      revoked_at: string;
    };
    /**
     * Sent 30 days before a certificate expires.
     */
    CertificateExpiring: {
      certificate_id: string;
      enrollment_id: string;
      user_id: string;
      course_id: string;
      expires_at: string;
    };
    /**
     * Sent when an attempt at a scored module ends. `score` is null if the attempt has no score.
     */
    AssessmentAttempted: {
      enrollment_id: string;
      user_id: string;
      course_id: string;
      module_id: string;
      attempt: number;
      score: number | null;
    };
    /**
     * Sent when an attempt at a scored module ends with a passing result.
     */
    AssessmentPassed: {
      enrollment_id: string;
      user_id: string;
      course_id: string;
      module_id: string;
      attempt: number;
      score: number | null;
    };
    /**
     * Sent when an attempt at a scored module ends without a passing result.
     */
    AssessmentFailed: {
      enrollment_id: string;
      user_id: string;
      course_id: string;
      module_id: string;
      attempt: number;
      score: number | null;
    };
    /**
     * Sent when a learner submits a voice answer.
     */
    VoiceActivityCompleted: {
      enrollment_id: string;
      user_id: string;
      course_id: string;
      module_id: string;
      completed_at: string;
    };
    /**
     * Sent when an API key is created.
     */
    ApiKeyCreated: {
      api_key_id: string;
      name: string;
      scopes: (string)[];
    };
    /**
     * Sent when an API key is rotated. The previous secret works until `previous_expires_at`.
     */
    ApiKeyRotated: {
      api_key_id: string;
      name: string;
      scopes: (string)[];
      previous_expires_at: string;
    };
    /**
     * Sent when an API key is revoked.
     */
    ApiKeyRevoked: {
      api_key_id: string;
      name: string;
      scopes: (string)[];
    };
    /**
     * Sent to a webhook endpoint when a test of it is requested. Other endpoints do not receive it.
     */
    WebhookTest: {
      endpoint_id: string;
    };
    /**
     * Sent when an inactive webhook endpoint is activated.
     */
    WebhookActivated: {
      endpoint_id: string;
    };
    /**
     * Sent when a delivery fails permanently. The endpoint that failed does not receive it.
     *
     * `http_status` is the status of the last attempt, or null if there was no response. `attempts` is 0 if
     * the endpoint was inactive for so long that no attempt was made.
     */
    WebhookFailed: {
      endpoint_id: string;
      delivery_id: string;
      event_id: string;
      event_type: string;
      attempts: number;
      http_status: number | null;
    };
    /**
     * Sent when a pipe that forwards xAPI statements is paused because it has failed for three days.
     * `http_status` is the status of the last attempt, or null if there was no response.
     */
    XapiPipePaused: {
      pipe_id: string;
      name: string;
      failures: number;
      http_status: number | null;
    };
    UserList: {
      data: (components["schemas"]["User"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * A person in the tenant's directory. Documents are masked.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    User: {
      id: string;
      email: string;
      name: string;
      role: "admin" | "gestor" | "instrutor" | "learner";
      status: "ACTIVE" | "INACTIVE" | "SUSPENDED";
      department: string | null;
      job_title: string | null;
      business_unit_id: string | null;
      employee_number: string | null;
      hire_date: string | null;
      /**
       * Values of the company's custom fields by key: text, number, date (YYYY-MM-DD) or one of the choices. Personal ones read `***`.
       */
      custom_fields: { [name: string]: unknown };
      cpf: string | null;
      phone: string | null;
      birth_date: string | null;
      cnh: components["schemas"]["Cnh"] | null;
      xp: number;
      level: number;
      last_login_at: string | null;
      created_at: string;
      updated_at: string;
    };
    /**
     * A driver's license. The number is masked.
     */
    Cnh: {
      numero: string;
      categoria: string;
      validade: string;
      ear: boolean;
    };
    UserCreate: {
      email: string;
      name: string;
      role?: "learner" | "gestor" | "instrutor";
      password?: string | null;
      department?: string | null;
      job_title?: string | null;
      business_unit_id?: string | null;
      employee_number?: string | null;
      hire_date?: string | null;
      /**
       * Values of the company's custom fields by key: text, number, date (YYYY-MM-DD) or one of the choices. Keys that are left out do not change; null clears one.
       */
      custom_fields?: { [name: string]: unknown };
      cpf?: string | null;
      phone?: string | null;
      birth_date?: string | null;
      cnh?: components["schemas"]["CnhCreate"] | null;
    };
    /**
     * A driver's license (Carteira Nacional de Habilitação).
     */
    CnhCreate: {
      numero: string;
      categoria: "A" | "B" | "C" | "D" | "E" | "AB" | "AC" | "AD" | "AE" | "ACC";
      validade: string;
      ear: boolean;
    };
    CreatedUser: {
      data: components["schemas"]["User"];
      _meta?: components["schemas"]["CreatedMeta"];
    };
    /**
     * `temporary_password` is only in this response, and only if the request had no password.
     */
    CreatedMeta: {
      temporary_password?: string | null;
    };
    /**
     * A search by a value that must not appear in a URL.
     */
    UserSearch: {
      cpf: string;
    };
    /**
     * Each item succeeds or fails on its own. The response lists the errors.
     */
    BulkUsersDescription: {
      users: (components["schemas"]["BulkUser"])[];
      /**
       * Whether to e-mail an invitation to new users without a password.
       */
      invite?: boolean;
    };
    /**
     * A user to create or update. The item updates the user with this `employee_number`, or else with this
     * `email`; if there is none, it creates a user and requires `email` and `name`. Members that are left out do
     * not change; null clears one.
     *
     * `role` and `password` apply only to new users.
     */
    BulkUser: {
      employee_number?: string | null;
      email?: string;
      name?: string;
      role?: "learner" | "gestor" | "instrutor";
      password?: string;
      department?: string | null;
      job_title?: string | null;
      business_unit_id?: string | null;
      hire_date?: string | null;
      /**
       * Values of the company's custom fields by key: text, number, date (YYYY-MM-DD) or one of the choices. Keys that are left out do not change; null clears one.
       */
      custom_fields?: { [name: string]: unknown };
      cpf?: string | null;
      phone?: string | null;
      birth_date?: string | null;
      cnh?: components["schemas"]["CnhCreate"] | null;
    };
    BulkUsersResultEnvelope: {
      data: components["schemas"]["BulkUsersResult"];
    };
    /**
     * The result of a bulk call. `user_ids` has one id per item, in the order of the request; null for a
     * failed item.
     */
    BulkUsersResult: {
      created: number;
      updated: number;
      unchanged: number;
      failed: number;
      errors: (components["schemas"]["BulkUserError"])[];
      user_ids: (string | null)[];
    };
    /**
     * Why an item failed. `index` counts from 0; `field` is the first invalid member.
     *
     * `detail` has the same context as the error of a single-user call.
     */
    BulkUserError: {
      index: number;
      field: string | null;
      code: string;
      message: string;
      detail?: { [name: string]: unknown };
    };
    UserEnvelope: {
      data: components["schemas"]["User"];
    };
    /**
     * Members that are left out do not change; null clears one. A new `email` ends the person's sessions.
     * Only a learner's address can change here; use the admin panel for instructors, managers and
     * administrators.
     */
    UserUpdate: {
      email?: string;
      name?: string;
      department?: string | null;
      job_title?: string | null;
      business_unit_id?: string | null;
      employee_number?: string | null;
      hire_date?: string | null;
      /**
       * Values of the company's custom fields by key: text, number, date (YYYY-MM-DD) or one of the choices. Keys that are left out do not change; null clears one.
       */
      custom_fields?: { [name: string]: unknown };
      cpf?: string | null;
      phone?: string | null;
      birth_date?: string | null;
      cnh?: components["schemas"]["CnhCreate"] | null;
    };
    CustomFieldList: {
      data: (components["schemas"]["CustomField"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * A field of the company's own. `choices` are the allowed values of a choice. The values of a `personal`
     * one are sealed, and masked on every read.
     *
     * With `fields`, only the members that it names.
     */
    CustomField: {
      key: string;
      name: string;
      type: "choice" | "date" | "number" | "text";
      choices: (string)[];
      personal: boolean;
    };
    CourseList: {
      data: (components["schemas"]["Course"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * A course of the tenant. `category` is the name of its category. `self_enrollment` says whether people
     * may enroll themselves: `OPEN` at once, `APPROVAL` if their manager or an administrator approves, `CLOSED`
     * not at all. With null as `certificate_validity_months`, its certificates never expire. With null as
     * `regulation`, no law regulates it. `title` and `description` are in `language`; `languages` are all that
     * the course has, its own first.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    Course: {
      id: string;
      title: string;
      description: string | null;
      slug: string;
      status: "ARCHIVED" | "DRAFT" | "PUBLISHED";
      difficulty: "ADVANCED" | "BEGINNER" | "INTERMEDIATE" | null;
      duration_hours: number;
      thumbnail_url: string | null;
      category_id: string | null;
      category: string | null;
      tags: (string)[];
      self_enrollment: "APPROVAL" | "CLOSED" | "OPEN";
      certificate_validity_months: number | null;
      regulation: components["schemas"]["Regulation"] | null;
      language: "en" | "es" | "pt-BR";
      languages: ("en" | "es" | "pt-BR")[];
      created_at: string;
      updated_at: string;
    };
    /**
     * The legal requirements for completing a course.
     */
    Regulation: {
      kind: "finance" | "occupational_safety" | "other" | "traffic";
      minimum_workload_minutes?: number;
      minimum_score?: number;
      sequential?: boolean;
      required_profile_fields?: ("birth_date" | "cnh" | "cpf" | "phone")[];
    };
    /**
     * A new course. Without a `slug`, it gets one made from its title. `category` is a name; the category is
     * created if the tenant has none of that name. Without a `language`, the course is in the tenant's.
     */
    CourseCreate: {
      title: string;
      slug?: string | null;
      language?: "en" | "es" | "pt-BR" | null;
      description?: string | null;
      difficulty?: "ADVANCED" | "BEGINNER" | "INTERMEDIATE" | null;
      duration_hours?: number;
      tags?: (string)[];
      category?: string | null;
      certificate_validity_months?: number | null;
      regulation?: components["schemas"]["Regulation"] | null;
      self_enrollment?: "APPROVAL" | "CLOSED" | "OPEN";
    };
    CourseEnvelope: {
      data: components["schemas"]["Course"];
    };
    ListedCategoryList: {
      data: (components["schemas"]["ListedCategory"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * A category of courses. A course refers to it by `category_id`.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    ListedCategory: {
      id: string;
      name: string;
    };
    /**
     * Changes to a course. Omitted members stay unchanged; `null` clears an optional member.
     */
    CourseUpdate: {
      title?: string;
      slug?: string;
      language?: "en" | "es" | "pt-BR";
      description?: string | null;
      difficulty?: "ADVANCED" | "BEGINNER" | "INTERMEDIATE" | null;
      duration_hours?: number;
      tags?: (string)[];
      category?: string | null;
      certificate_validity_months?: number | null;
      regulation?: components["schemas"]["Regulation"] | null;
      self_enrollment?: "APPROVAL" | "CLOSED" | "OPEN";
    };
    ModuleList: {
      data: (components["schemas"]["Module"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * A module of a course. `position` counts from 1, in the order in which learners take the modules. Only a
     * CLASS has a `presence_percent`, and only a PRACTICE has `items`; they are null in all other types.
     * `workload_kind` and `delivery` say what the minutes count as on certificates. If the author has not chosen
     * them, a practice is practice in person, a class with a room meets in person, and everything else is theory
     * at a distance.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    Module: {
      id: string;
      course_id: string;
      position: number;
      title: string;
      type: "ARTICLE" | "CLASS" | "CMI5" | "DOCUMENT" | "PRACTICE" | "QUIZ" | "SCORM" | "VIDEO";
      duration_minutes: number;
      required: boolean;
      presence_percent: number | null;
      workload_kind: "PRACTICE" | "THEORY";
      delivery: "DISTANCE" | "IN_PERSON";
      items: (components["schemas"]["ChecklistItem"])[] | null;
      qualification: string | null;
      created_at: string;
      updated_at: string;
    };
    /**
     * An item that an assessor rates, and when it is satisfactory.
     */
    ChecklistItem: {
      id: string;
      title: string;
      criteria: string;
    };
    /**
     * A new module. An ARTICLE has its text in `body`, in Markdown. A QUIZ has `questions` and, in `quiz`,
     * the criteria for passing. A CLASS is completed by presence in one of its classes: `presence_percent` of
     * the minutes of its sessions, or all of them if it is left out. A PRACTICE has a checklist in `items`,
     * which a person with the `qualification` rates; any valid one is enough if it is left out. A package (SCORM
     * or CMI5), a DOCUMENT (PDF) or a VIDEO (MP4, WebM) is fetched from `source_url`; one with its file is sent
     * as multipart/form-data instead. Without `duration_minutes`, they are estimated from the content; those of
     * a package, a class or a practice are 0. A package with several parts becomes as many modules, which keep
     * the titles of the parts and share the minutes. Without `workload_kind` and `delivery`, they follow from
     * the type.
     */
    ModuleCreate: {
      title: string;
      type?: "ARTICLE" | "CLASS" | "CMI5" | "DOCUMENT" | "PRACTICE" | "QUIZ" | "SCORM" | "VIDEO";
      duration_minutes?: number | null;
      required?: boolean;
      body?: string | null;
      presence_percent?: number | null;
      workload_kind?: "PRACTICE" | "THEORY" | null;
      delivery?: "DISTANCE" | "IN_PERSON" | null;
      items?: (components["schemas"]["ChecklistItemCreate"])[];
      qualification?: string | null;
      questions?: (components["schemas"]["ModuleQuestion"])[];
      quiz?: components["schemas"]["QuizSettings"] | null;
      /**
       * The HTTPS address of the file. It is encrypted until it is used, and never shown.
       */
      source_url?: string | null;
    };
    /**
     * An item that an assessor rates. `criteria` say when it is satisfactory.
     */
    ChecklistItemCreate: {
      title: string;
      criteria?: string;
    };
    /**
     * A question and its answer key. The last members depend on the kind:
     *
     * `choices` for single and multiple; `right` for true_false; `value` and `tolerance` for numeric; `accepted`
     * and the `ignore_…` members for fill_in; `longest_characters` for essay and `longest_seconds` for voice,
     * which a person grades, by a `rubric` if there is one. Pictures and audio are added in the panel.
     */
    ModuleQuestion: {
      kind: "essay" | "fill_in" | "multiple" | "numeric" | "single" | "true_false" | "voice";
      text: string;
      weight?: number;
      pool?: string;
      feedback?: string;
      choices?: (components["schemas"]["ModuleChoice"])[];
      right?: boolean | null;
      value?: number | null;
      tolerance?: number;
      accepted?: (string)[];
      ignore_case?: boolean;
      ignore_accents?: boolean;
      ignore_spaces?: boolean;
      longest_seconds?: number;
      longest_characters?: number;
      rubric?: (components["schemas"]["Criterion"])[];
    };
    /**
     * An answer choice of a question of kind `single` or `multiple`.
     */
    ModuleChoice: {
      text: string;
      right?: boolean;
    };
    /**
     * One criterion of a rubric, and the most points that a grader can give for it.
     */
    Criterion: {
      text: string;
      points: number;
    };
    /**
     * The settings of a quiz. `attempts` is the limit for each learner; None means unlimited. `draws` is the
     * number of questions to draw from each pool; pools without an entry are asked whole. `bank_draws` adds
     * questions of the bank. Without `time_limit_minutes`, an attempt may take as long as the learner likes.
     */
    QuizSettings: {
      pass_mark?: number;
      attempts?: number | null;
      shuffle_questions?: boolean;
      shuffle_choices?: boolean;
      feedback?: "answers" | "never" | "result";
      presentation?: "all" | "one";
      time_limit_minutes?: number | null;
      draws?: { [name: string]: unknown };
      bank_draws?: (components["schemas"]["BankDraw"])[];
    };
    /**
     * A rule that draws `count` questions from the bank: of those that have every one of these tags.
     */
    BankDraw: {
      tags: (string)[];
      count: number;
    };
    /**
     * A new module with its file, as multipart/form-data. The members are those of JSON; `file` takes the
     * place of `source_url`.
     */
    ModuleFile: {
      title: string;
      type: "CMI5" | "DOCUMENT" | "SCORM" | "VIDEO";
      /**
       * The ZIP file of a package, a PDF, or an MP4 or WebM video, of at most 2 GiB.
       */
      file: string;
      duration_minutes?: number;
      required?: boolean;
      workload_kind?: "PRACTICE" | "THEORY";
      delivery?: "DISTANCE" | "IN_PERSON";
    };
    ModuleImportEnvelope: {
      data: components["schemas"]["ModuleImport"];
    };
    /**
     * The import of a package, document or video as modules of a course. `module_ids` are the modules that it
     * has added: one for each part of a package. A package has a `report` once it is read. A FAILED import has
     * an `error`; to try again, send the module again.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    ModuleImport: {
      id: string;
      course_id: string;
      type: "CMI5" | "DOCUMENT" | "SCORM" | "VIDEO";
      status: "FAILED" | "PENDING" | "RUNNING" | "SUCCEEDED";
      module_ids: (string)[];
      report: components["schemas"]["ImportReport"] | null;
      error: components["schemas"]["ImportFailure"] | null;
      created_at: string;
      updated_at: string;
    };
    /**
     * What is in a package, and what was found wrong or repaired. `tool` made the package; `scos` and
     * `assets` are its parts with and without progress; `hosts` are other servers from which it loads something.
     */
    ImportReport: {
      verdict: "accepted" | "refused";
      version: "1.2" | "2004" | "cmi5" | null;
      edition: string;
      tool: string;
      scos: number;
      assets: number;
      files: number;
      size: number;
      hosts: (string)[];
      findings: (components["schemas"]["ImportFinding"])[];
    };
    /**
     * One finding: an `error`, because of which the package was refused, a `warning`, or `info`. `where` is a
     * path in the package, or empty.
     */
    ImportFinding: {
      severity: "error" | "info" | "warning";
      code: string;
      what: string;
      where: string;
      fix: string;
    };
    /**
     * Why an import failed.
     */
    ImportFailure: {
      code: string;
      message: string;
    };
    ModuleEnvelope: {
      data: components["schemas"]["Module"];
    };
    /**
     * Changes to a module. Omitted members stay unchanged. Only an ARTICLE has a `body`, only a CLASS has a
     * `presence_percent`, and only a PRACTICE has `items` and a `qualification`. Items that are left out are
     * removed; send known ones with their `id`. Assessments that were begun keep their checklist. With
     * `null`, `workload_kind` and `delivery` follow from the type again.
     */
    ModuleUpdate: {
      title?: string;
      duration_minutes?: number;
      required?: boolean;
      body?: string;
      presence_percent?: number;
      workload_kind?: "PRACTICE" | "THEORY" | null;
      delivery?: "DISTANCE" | "IN_PERSON" | null;
      items?: (components["schemas"]["ChecklistChange"])[];
      qualification?: string | null;
    };
    /**
     * An item of a changed checklist: a known one with its `id`, or a new one.
     */
    ChecklistChange: {
      title: string;
      criteria?: string;
      id?: string | null;
    };
    /**
     * The new place, counted from 1. A place past the end means last.
     */
    ModuleMove: {
      position: number;
    };
    ModuleImportList: {
      data: (components["schemas"]["ModuleImport"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    TranslationEnvelope: {
      data: components["schemas"]["Translation"];
    };
    /**
     * The texts of a course in one of its further languages. `modules` are all of the course, in its order.
     * Null means not translated. `translated` of `texts` are translated, lessons included.
     *
     * With `fields`, only the members that it names.
     */
    Translation: {
      language: "en" | "es" | "pt-BR";
      title: string | null;
      description: string | null;
      modules: (components["schemas"]["TranslatedTitle"])[];
      translated: number;
      texts: number;
    };
    /**
     * The title of a module in a language; null if it is not translated.
     */
    TranslatedTitle: {
      module_id: string;
      title: string | null;
    };
    /**
     * The texts of a course in a language. What is left out is not translated: learners see it in the
     * course's own language.
     */
    TranslationTexts: {
      title?: string | null;
      description?: string | null;
      modules?: (components["schemas"]["ModuleTitle"])[];
    };
    /**
     * The title of a module in a language.
     */
    ModuleTitle: {
      module_id: string;
      title: string;
    };
    LessonTranslationEnvelope: {
      data: components["schemas"]["LessonTranslation"];
    };
    /**
     * The lesson of an article in a language, in Markdown. With null as `body`, it is not translated.
     *
     * With `fields`, only the members that it names.
     */
    LessonTranslation: {
      language: "en" | "es" | "pt-BR";
      title: string | null;
      body: string | null;
    };
    /**
     * The lesson of an article in a language. Omitted members stay unchanged.
     */
    LessonTexts: {
      title?: string | null;
      body: string;
    };
    EnrollmentList: {
      data: (components["schemas"]["Enrollment"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * One person's enrollment in one course. `score` is null until a module has a score. `imported_from`
     * names the system where the course was completed, and is absent unless the enrollment was imported.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    Enrollment: {
      id: string;
      user_id: string;
      course_id: string;
      status: components["schemas"]["EnrollmentStatus"];
      progress: number;
      score: number | null;
      started_at: string | null;
      completed_at: string | null;
      expires_at: string | null;
      created_at: string;
      updated_at: string;
      imported_from?: string | null;
    };
    EnrollmentStatus: "COMPLETED" | "EXPIRED" | "IN_PROGRESS" | "NOT_STARTED";
    EnrollmentCreate: {
      user_id: string;
      course_id: string;
      /**
       * A time in the future.
       */
      expires_at?: string | null;
    };
    EnrollmentEnvelope: {
      data: components["schemas"]["Enrollment"];
    };
    BulkEnrollments: {
      enrollments: (components["schemas"]["EnrollmentCreate"])[];
    };
    BulkResultEnvelope: {
      data: components["schemas"]["BulkResult"];
    };
    /**
     * The result of a bulk call. `skipped` counts duplicates of a current enrollment or of an earlier
     * item.
     */
    BulkResult: {
      created: number;
      skipped: number;
      failed: number;
      errors: (components["schemas"]["BulkError"])[];
    };
    /**
     * Why one item of a bulk call failed. `index` counts from 0. `detail` is the same context that the error
     * of a single call would have.
     */
    BulkError: {
      index: number;
      user_id: string;
      course_id: string;
      code: string;
      message: string;
      detail?: { [name: string]: unknown };
    };
    PastCompletions: {
      completions: (components["schemas"]["PastCompletion"])[];
      /**
       * Issue a certificate for each new completion.
       */
      issue_certificates?: boolean;
    };
    /**
     * A course that a person completed in another system, named by `source`. Without `started_at`, the start
     * is the moment of completion.
     */
    PastCompletion: {
      user_id: string;
      course_id: string;
      started_at?: string | null;
      completed_at: string;
      score?: number | null;
      source: string;
    };
    /**
     * Changes to an enrollment. Set `expires_at` to null for no due date.
     */
    EnrollmentUpdate: {
      /**
       * A time in the future.
       */
      expires_at: string | null;
    };
    InteractionList: {
      data: (components["schemas"]["Interaction"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * A learner's latest answer to one question.
     *
     * With `fields`, only the members that it names.
     */
    Interaction: {
      module_id: string;
      module_title: string;
      interaction_id: string;
      type: string;
      description: string | null;
      response: string | null;
      correct_response: string | null;
      result: string | null;
      latency_seconds: number | null;
      weighting: number | null;
      updated_at: string;
    };
    /**
     * A request to be enrolled. Whoever decides reads the `message`.
     */
    EnrollmentRequestCreate: {
      course_id: string;
      message?: string | null;
    };
    EnrollmentRequestEnvelope: {
      data: components["schemas"]["EnrollmentRequest"];
    };
    /**
     * A person's request to be enrolled in a course. `enrollment_id` is the enrollment that the approval
     * made. `decided_by` is the user who decided in the panel; null for a decision through the API, and for a
     * course that is open to everyone.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    EnrollmentRequest: {
      id: string;
      user_id: string;
      course_id: string;
      status: components["schemas"]["RequestStatus"];
      message: string | null;
      reason: string | null;
      enrollment_id: string | null;
      decided_by: string | null;
      decided_at: string | null;
      created_at: string;
      updated_at: string;
    };
    RequestStatus: "APPROVED" | "CANCELLED" | "REJECTED" | "WAITING";
    EnrollmentRequestList: {
      data: (components["schemas"]["EnrollmentRequest"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * How a request is approved. Without `expires_at`, the enrollment has no due date.
     */
    Approval: {
      /**
       * A time in the future.
       */
      expires_at?: string | null;
    };
    /**
     * Why a request is rejected. The person reads the `reason`.
     */
    Rejection: {
      reason: string;
    };
    ReminderSettingsEnvelope: {
      data: components["schemas"]["ReminderSettings"];
    };
    /**
     * When reminders are sent, in the company's time zone, and which. Reminders wait during quiet hours and
     * on other days than `working_days`; 1 is Monday.
     *
     * With `fields`, only the members that it names.
     */
    ReminderSettings: {
      quiet_from: string | null;
      quiet_until: string | null;
      working_days: (number)[];
      kinds: components["schemas"]["KindSwitches"];
    };
    /**
     * The kinds of reminders that are switched on. `enrollment_request` covers requests for enrollment and
     * their answers; `digest` is the managers' weekly summary.
     */
    KindSwitches: {
      assigned?: boolean;
      due?: boolean;
      overdue?: boolean;
      quiz_graded?: boolean;
      voice_answer_waiting?: boolean;
      question_waiting?: boolean;
      question_answered?: boolean;
      evaluation_follow_up?: boolean;
      certificate_expiring?: boolean;
      enrollment_request?: boolean;
      digest?: boolean;
    };
    /**
     * Members that are left out do not change. Set both quiet hours to null for none.
     */
    ReminderSettingsUpdate: {
      quiet_from?: string | null;
      quiet_until?: string | null;
      working_days?: (number)[];
      kinds?: components["schemas"]["KindSwitchesUpdate"];
    };
    /**
     * Kinds that are left out do not change.
     */
    KindSwitchesUpdate: {
      assigned?: boolean;
      due?: boolean;
      overdue?: boolean;
      quiz_graded?: boolean;
      voice_answer_waiting?: boolean;
      question_waiting?: boolean;
      question_answered?: boolean;
      evaluation_follow_up?: boolean;
      certificate_expiring?: boolean;
      enrollment_request?: boolean;
      digest?: boolean;
    };
    /**
     * A reminder by hand, with a text of one's own.
     */
    ReminderCreate: {
      text?: string | null;
    };
    SentReminderEnvelope: {
      data: components["schemas"]["SentReminder"];
    };
    /**
     * A reminder that waits to be sent, or was.
     */
    SentReminder: {
      id: string;
      user_id: string;
      enrollment_id: string;
      kind: string;
      created_at: string;
    };
    PushSubscriptionCreate: {
      endpoint: string;
      keys: components["schemas"]["PushKeys"];
    };
    /**
     * The keys of a push subscription, as the browser gives them (RFC 8291).
     */
    PushKeys: {
      p256dh: string;
      auth: string;
    };
    PushSubscriptionEnvelope: {
      data: components["schemas"]["PushSubscription"];
    };
    /**
     * A browser that gets push messages for a user. Its address is a secret and never shown.
     */
    PushSubscription: {
      id: string;
      user_id: string;
      created_at: string;
    };
    CertificateList: {
      data: (components["schemas"]["Certificate"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * Proof of a completed course. `pdf_url` is null until the PDF exists (PDF/A-3b); `pdf_a1b_url` leads to
     * the same certificate as PDF/A-1b, which is made at the first request. The links are valid for 15 minutes.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    Certificate: {
      id: string;
      verification_code: string;
      user_id: string;
      enrollment_id: string;
      course_id: string;
      pdf_url: string | null;
      pdf_a1b_url: string | null;
      issued_at: string;
      expires_at: string | null;
      verification_url: string;
    };
    CertificateEnvelope: {
      data: components["schemas"]["Certificate"];
    };
    VerificationEnvelope: {
      data: components["schemas"]["Verification"];
    };
    /**
     * The result of verifying a certificate. `reason` says why verification failed. `certificate` is present
     * for every existing code.
     *
     * With `fields`, only the members that it names.
     */
    Verification: {
      verified: boolean;
      reason?: "expired" | "not_found" | "revoked";
      certificate?: components["schemas"]["PublicCertificate"];
    };
    /**
     * The public details of a certificate. `user_name` is null after the holder's personal data was
     * erased.
     */
    PublicCertificate: {
      verification_code: string;
      user_name: string | null;
      holder_cpf: string | null;
      course_title: string;
      issued_by: string;
      issued_at: string;
      expires_at: string | null;
    };
    StatementList: {
      data: (components["schemas"]["Statement"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * A whole statement of the Experience API. Members that it does not have are left out.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    Statement: {
      id: string;
      actor: { [name: string]: unknown };
      verb: { [name: string]: unknown };
      object: { [name: string]: unknown };
      result?: { [name: string]: unknown };
      context?: { [name: string]: unknown };
      attachments?: ({ [name: string]: unknown })[];
      timestamp: string;
      stored: string;
      authority: { [name: string]: unknown };
      version: string;
    };
    TrainingClassList: {
      data: (components["schemas"]["TrainingClass"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * A class, with its `sessions` by start. It is `ENDED` once its last session that is not cancelled is
     * over. `registered` people have a place, and `waitlisted` people wait for one.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    TrainingClass: {
      id: string;
      course_id: string;
      module_id: string;
      title: string;
      status: "CANCELLED" | "ENDED" | "SCHEDULED";
      minimum_people: number;
      maximum_people: number;
      waiting_list: boolean;
      registered: number;
      waitlisted: number;
      cancel_reason: string | null;
      sessions: (components["schemas"]["ClassSession"])[];
      created_at: string;
      updated_at: string;
    };
    /**
     * One meeting of a class. `time_zone` is that of the place; the times themselves are UTC.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    ClassSession: {
      id: string;
      class_id: string;
      status: "CANCELLED" | "SCHEDULED";
      starts_at: string;
      ends_at: string;
      time_zone: string;
      room: string | null;
      meeting_url: string | null;
      instructor_ids: (string)[];
      cancel_reason: string | null;
      created_at: string;
      updated_at: string;
    };
    /**
     * A new class of a module of the type CLASS. Once `maximum_people` have a place, more people wait, or are
     * refused without a `waiting_list`. Nobody enforces `minimum_people`.
     */
    ClassCreate: {
      course_id: string;
      module_id: string;
      title: string;
      minimum_people?: number;
      maximum_people: number;
      waiting_list?: boolean;
      sessions: (components["schemas"]["SessionPlan"])[];
    };
    /**
     * A new session. It may lie in the past. Without a `time_zone`, it is in the company's. `room` is the
     * name of a place, and `meeting_url` the link of a video call.
     */
    SessionPlan: {
      starts_at: string;
      ends_at: string;
      time_zone?: string | null;
      room?: string | null;
      meeting_url?: string | null;
      instructor_ids?: (string)[];
    };
    ChangedClass: {
      data: components["schemas"]["TrainingClass"];
      _meta: components["schemas"]["OverlapMeta"];
    };
    /**
     * Overlaps refuse nothing.
     */
    OverlapMeta: {
      warnings: (components["schemas"]["Overlap"])[];
    };
    /**
     * Something or somebody is in two sessions at once. `session_id` is the other session.
     */
    Overlap: {
      code: "instructor_overlap" | "learner_overlap" | "room_overlap";
      session_id: string;
    };
    TrainingClassEnvelope: {
      data: components["schemas"]["TrainingClass"];
    };
    /**
     * Changes to a class. Omitted members stay unchanged. With more places, who waits moves up at once.
     */
    ClassUpdate: {
      title?: string;
      minimum_people?: number;
      maximum_people?: number;
      waiting_list?: boolean;
    };
    Cancellation: {
      reason: string;
    };
    ClassSessionList: {
      data: (components["schemas"]["ClassSession"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * A session to add to a class. It may lie in the past. Without a `time_zone`, it is in the company's.
     * `room` is the name of a place, and `meeting_url` the link of a video call.
     */
    SessionCreate: {
      starts_at: string;
      ends_at: string;
      time_zone?: string | null;
      room?: string | null;
      meeting_url?: string | null;
      instructor_ids?: (string)[];
    };
    ChangedSession: {
      data: components["schemas"]["ClassSession"];
      _meta: components["schemas"]["OverlapMeta"];
    };
    ClassSessionEnvelope: {
      data: components["schemas"]["ClassSession"];
    };
    /**
     * Changes to a session. Omitted members stay unchanged; `null` clears the room or the link.
     */
    SessionUpdate: {
      starts_at?: string;
      ends_at?: string;
      time_zone?: string;
      room?: string | null;
      meeting_url?: string | null;
      instructor_ids?: (string)[];
    };
    ClassRegistrationList: {
      data: (components["schemas"]["ClassRegistration"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * A person's place in a class. `position` on the waiting list counts from 1; it is null for everybody
     * else.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    ClassRegistration: {
      id: string;
      class_id: string;
      user_id: string;
      enrollment_id: string;
      status: "CANCELLED" | "REGISTERED" | "WAITLISTED";
      position: number | null;
      created_at: string;
      updated_at: string;
    };
    RegistrationCreate: {
      user_id: string;
    };
    MadeRegistration: {
      data: components["schemas"]["ClassRegistration"];
      _meta: components["schemas"]["OverlapMeta"];
    };
    BulkRegistrations: {
      user_ids: (string)[];
    };
    MadeRegistrations: {
      data: components["schemas"]["BulkRegistrationResult"];
      _meta: components["schemas"]["OverlapMeta"];
    };
    /**
     * The result of a bulk registration. `skipped` counts people who are in the class already, and
     * repetitions.
     */
    BulkRegistrationResult: {
      registered: number;
      waitlisted: number;
      skipped: number;
      failed: number;
      errors: (components["schemas"]["BulkRegistrationError"])[];
    };
    /**
     * Why one user of a bulk call was not registered. `index` counts from 0.
     */
    BulkRegistrationError: {
      index: number;
      user_id: string;
      code: string;
      message: string;
    };
    ClassRegistrationEnvelope: {
      data: components["schemas"]["ClassRegistration"];
    };
    RegistrationCancellation: {
      reason?: string | null;
    };
    AttendanceList: {
      data: (components["schemas"]["Attendance"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * How many minutes a registered person was in a session. `method` and `recorded_at` are null until
     * attendance is recorded.
     *
     * With `fields`, only the members that it names.
     */
    Attendance: {
      user_id: string;
      minutes: number;
      method: "LIST" | "QR" | "SIGNATURE" | null;
      recorded_at: string | null;
    };
    AttendanceSheet: {
      entries: (components["schemas"]["AttendanceEntry"])[];
    };
    /**
     * How many minutes a person was in the session. A changed number needs a `reason`.
     */
    AttendanceEntry: {
      user_id: string;
      minutes: number;
      reason?: string | null;
    };
    AttendanceListEnvelope: {
      data: (components["schemas"]["Attendance"])[];
    };
    CheckInCodeEnvelope: {
      data: components["schemas"]["CheckInCode"];
    };
    /**
     * The code to show in the room, as a QR code of `url`. There is another one every 15 seconds.
     *
     * With `fields`, only the members that it names.
     */
    CheckInCode: {
      code: string;
      url: string;
      expires_at: string;
    };
    PracticeAssessmentList: {
      data: (components["schemas"]["PracticeAssessment"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * One attempt of a user in a PRACTICE module. It is `OPEN` until the assessor signs, then `ASSESSED`, and
     * `SIGNED` once the learner has signed, too. Only a `SIGNED` and `SATISFACTORY` one completes the module.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    PracticeAssessment: {
      id: string;
      enrollment_id: string;
      user_id: string;
      course_id: string;
      module_id: string;
      number: number;
      status: "ANNULLED" | "ASSESSED" | "OPEN" | "SIGNED";
      result: "SATISFACTORY" | "UNSATISFACTORY" | null;
      assessor_id: string;
      qualification: components["schemas"]["HeldQualification"] | null;
      items: (components["schemas"]["RatedItem"])[];
      assessed_on: string | null;
      assessor_signed_at: string | null;
      learner_signed_at: string | null;
      annul_reason: string | null;
      created_at: string;
      updated_at: string;
    };
    /**
     * The assessor's qualification as it was on the day of the assessment.
     */
    HeldQualification: {
      title: string;
      issuing_body: string;
      register_number: string | null;
      valid_until: string | null;
    };
    /**
     * An item of the checklist as it was then. `rating` is null until it is rated; `photo_id` until there is
     * a photo.
     */
    RatedItem: {
      id: string;
      title: string;
      criteria: string;
      rating: "SATISFACTORY" | "UNSATISFACTORY" | null;
      note: string | null;
      photo_id: string | null;
    };
    /**
     * An assessment, which counts once the assessor and the learner have signed it on their pages. Without
     * `assessed_on`, its day is the one on which the assessor signs.
     */
    AssessmentCreate: {
      enrollment_id: string;
      module_id: string;
      assessor_id: string;
      assessed_on?: string | null;
      ratings?: (components["schemas"]["RatingCreate"])[];
    };
    RatingCreate: {
      item_id: string;
      rating: "SATISFACTORY" | "UNSATISFACTORY";
      note?: string | null;
    };
    PracticeAssessmentEnvelope: {
      data: components["schemas"]["PracticeAssessment"];
    };
    Annulment: {
      reason: string;
    };
    QualificationList: {
      data: (components["schemas"]["Qualification"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * What a user is qualified for. `UPCOMING`: it is not valid yet; `EXPIRING`: it expires within 30 days.
     * `has_document` says whether its document was uploaded.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    Qualification: {
      id: string;
      user_id: string;
      title: string;
      issuing_body: string;
      register_number: string | null;
      valid_from: string;
      valid_until: string | null;
      state: "EXPIRED" | "EXPIRING" | "UPCOMING" | "VALID";
      has_document: boolean;
      created_at: string;
      updated_at: string;
    };
    /**
     * A qualification of a user. Without `valid_until`, it does not expire. Both days are in the company's
     * time zone.
     */
    QualificationCreate: {
      user_id: string;
      title: string;
      issuing_body: string;
      register_number?: string | null;
      valid_from: string;
      valid_until?: string | null;
    };
    QualificationEnvelope: {
      data: components["schemas"]["Qualification"];
    };
    /**
     * Changes to a qualification. Omitted members stay unchanged; `null` clears the register number or the
     * last day.
     */
    QualificationUpdate: {
      title?: string;
      issuing_body?: string;
      register_number?: string | null;
      valid_from?: string;
      valid_until?: string | null;
    };
    /**
     * Without `module_id`, the link opens the module to continue with.
     */
    LaunchLinkCreate: {
      module_id?: string | null;
      /**
       * An HTTPS address of your portal. The player and the end of the module have a link to it.
       */
      return_url?: string | null;
    };
    LaunchLinkEnvelope: {
      data: components["schemas"]["LaunchLink"];
    };
    /**
     * A link that signs the learner in and opens the module, once, until `expires_at`. It is not shown
     * again.
     */
    LaunchLink: {
      url: string;
      expires_at: string;
    };
    RequirementList: {
      data: (components["schemas"]["Requirement"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * People who must hold a course or a learning path, and by when.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    Requirement: {
      id: string;
      title: string;
      /**
       * Who must be trained. A node is `{all: [...]}`, `{any: [...]}`, `{not: node}` or a condition `{field, op, value}`. `{all: []}` is everybody.
       */
      rule: { [name: string]: unknown };
      course_id: string | null;
      learning_path_id: string | null;
      due_days: number | null;
      due_on: string | null;
      renew_months: number | null;
      window_days: number;
      active: boolean;
      cancel_not_started: boolean;
      created_at: string;
      updated_at: string;
    };
    /**
     * A requirement has either a course or a learning path, and either `due_days` or `due_on`.
     */
    RequirementCreate: {
      title: string;
      /**
       * Who must be trained. A node is `{all: [...]}`, `{any: [...]}`, `{not: node}` or a condition `{field, op, value}`. `{all: []}` is everybody.
       */
      rule: { [name: string]: unknown };
      course_id?: string | null;
      learning_path_id?: string | null;
      due_days?: number | null;
      due_on?: string | null;
      renew_months?: number | null;
      window_days?: number;
      active?: boolean;
      cancel_not_started?: boolean;
    };
    RequirementEnvelope: {
      data: components["schemas"]["Requirement"];
    };
    PreviewPage: {
      data: (components["schemas"]["PreviewRow"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
      _meta: components["schemas"]["PreviewTotals"];
    };
    /**
     * What a requirement would mean for one person. `enroll_at` is when they would be enrolled: now, when
     * the renewal window opens, or null if they are enrolled already or never need to be.
     *
     * With `fields`, only the members that it names.
     */
    PreviewRow: {
      user_id: string;
      holds: boolean;
      valid_until: string | null;
      enroll_at: string | null;
      due_at: string | null;
    };
    /**
     * Counts of the whole preview: `to_enroll` are people who would be enrolled at once.
     */
    PreviewTotals: {
      people: number;
      holding: number;
      to_enroll: number;
    };
    /**
     * Members that are left out do not change. To change one of a pair for the other, set both: one of them
     * to null.
     */
    RequirementUpdate: {
      title?: string;
      /**
       * Who must be trained. A node is `{all: [...]}`, `{any: [...]}`, `{not: node}` or a condition `{field, op, value}`. `{all: []}` is everybody.
       */
      rule?: { [name: string]: unknown };
      course_id?: string | null;
      learning_path_id?: string | null;
      due_days?: number | null;
      due_on?: string | null;
      renew_months?: number | null;
      window_days?: number;
      active?: boolean;
      cancel_not_started?: boolean;
    };
    RequirementPersonList: {
      data: (components["schemas"]["RequirementPerson"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * With `fields`, only the members that it names.
     */
    RequirementPerson: {
      requirement_id: string;
      state: "DUE_SOON" | "EXCUSED" | "MISSING" | "OVERDUE" | "VALID";
      due_at: string | null;
      valid_until: string | null;
      enrollment_id: string | null;
      because: string;
      user_id: string;
    };
    PersonRequirementList: {
      data: (components["schemas"]["PersonRequirement"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * Where a person stands with a requirement. `because` says why it applies.
     *
     * With `fields`, only the members that it names.
     */
    PersonRequirement: {
      requirement_id: string;
      state: "DUE_SOON" | "EXCUSED" | "MISSING" | "OVERDUE" | "VALID";
      due_at: string | null;
      valid_until: string | null;
      enrollment_id: string | null;
      because: string;
    };
    CourseRatingsEnvelope: {
      data: components["schemas"]["CourseRatings"];
    };
    /**
     * How learners rate a course. Answers are published in batches of at least five people: until then
     * `rating_count` is 0 and everything else is null. `applied` is from 90 days after the completion: how much
     * people use at work what they learned.
     *
     * With `fields`, only the members that it names.
     */
    CourseRatings: {
      course_id: string;
      rating_count: number;
      content: components["schemas"]["RatedScale"] | null;
      clarity: components["schemas"]["RatedScale"] | null;
      instructor: components["schemas"]["RatedScale"] | null;
      platform: components["schemas"]["RatedScale"] | null;
      applicability: components["schemas"]["RatedScale"] | null;
      nps: components["schemas"]["RatedNps"] | null;
      applied: components["schemas"]["RatedScale"] | null;
    };
    /**
     * The answers to one question: `distribution` has how many people chose 1, 2, 3, 4 and 5.
     */
    RatedScale: {
      answers: number;
      average: number;
      distribution: (number)[];
    };
    /**
     * The net promoter score, from -100 to 100, and how many people are behind each of its parts.
     */
    RatedNps: {
      score: number;
      promoters: number;
      passives: number;
      detractors: number;
    };
    CourseStatsEnvelope: {
      data: components["schemas"]["CourseStats"];
    };
    /**
     * One course's enrollment counts. Rates and averages are 0 to 100 with two decimals, and null without
     * data.
     *
     * With `fields`, only the members that it names.
     */
    CourseStats: {
      course_id: string;
      enrollments: number;
      not_started: number;
      in_progress: number;
      completions: number;
      expired: number;
      completion_rate: number | null;
      average_score: number | null;
      average_progress: number | null;
      certificates_issued: number;
    };
    CompletionReportEnvelope: {
      data: components["schemas"]["CompletionReport"];
    };
    /**
     * Enrollments by status, overall and by course. `courses` are sorted by title.
     *
     * With `fields`, only the members that it names.
     */
    CompletionReport: {
      overall: components["schemas"]["CompletionTotals"];
      courses: (components["schemas"]["CourseCompletion"])[];
    };
    /**
     * Enrollments by status. The rate is the share of completed enrollments among all, expired ones
     * included.
     */
    CompletionTotals: {
      enrollments: number;
      completed: number;
      in_progress: number;
      not_started: number;
      expired: number;
      certificates_issued: number;
      completion_rate: number | null;
    };
    /**
     * Enrollments of one course by status, with the course's current title.
     */
    CourseCompletion: {
      course_id: string;
      course_title: string;
      enrollments: number;
      completed: number;
      in_progress: number;
      not_started: number;
      expired: number;
      certificates_issued: number;
      completion_rate: number | null;
    };
    ExportCreate: {
      type: "csv" | "parquet" | "xlsx";
      filters?: components["schemas"]["ExportFilters"];
    };
    /**
     * The enrollments to export; all of them by default.
     */
    ExportFilters: {
      /**
       * Only enrollments in this course.
       */
      course_id?: string | null;
      /**
       * Only these statuses, separated by commas.
       */
      status?: string | null;
    };
    RequestedExportEnvelope: {
      data: components["schemas"]["RequestedExport"];
    };
    /**
     * A newly requested export.
     */
    RequestedExport: {
      id: string;
      status: "FAILED" | "PENDING" | "READY" | "RUNNING";
    };
    ExportEnvelope: {
      data: components["schemas"]["Export"];
    };
    /**
     * An export of enrollments. `rows` is the number read so far. `url` is present once the status is READY
     * and is valid for 15 minutes; get the export again for a new link. The file is removed at `expires_at`.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    Export: {
      id: string;
      status: "FAILED" | "PENDING" | "READY" | "RUNNING";
      rows: number;
      url: string | null;
      expires_at: string | null;
    };
    EventEnvelopeList: {
      data: (components["schemas"]["EventEnvelope"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    EventDescriptionList: {
      data: (components["schemas"]["EventDescription"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * An event type: when it is sent, and the JSON Schema of its `data`.
     *
     * With `fields`, only the members that it names.
     */
    EventDescription: {
      type: string;
      description: string;
      schema: { [name: string]: unknown };
    };
    EndpointList: {
      data: (components["schemas"]["Endpoint"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    /**
     * A webhook endpoint. `failure_count` is the number of consecutive failed attempts.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    Endpoint: {
      id: string;
      /**
       * HTTPS, port 443 or 8443, at a public address.
       */
      url: string;
      events: ("user.created" | "user.updated" | "user.suspended" | "user.reactivated" | "user.deleted" | "user.role_changed" | "course.created" | "course.updated" | "course.archived" | "course.rated" | "learning_path.assigned" | "learning_path.completed" | "enrollment.created" | "enrollment.started" | "enrollment.progress" | "enrollment.completed" | "enrollment.expired" | "enrollment.updated" | "enrollment.cancelled" | "enrollment.requested" | "class.created" | "class.updated" | "class.cancelled" | "registration.created" | "registration.waitlisted" | "registration.cancelled" | "attendance.recorded" | "practice.assessed" | "requirement.assigned" | "requirement.satisfied" | "requirement.overdue" | "requirement.released" | "reminder.sent" | "certificate.issued" | "certificate.revoked" | "certificate.expiring" | "assessment.attempted" | "assessment.passed" | "assessment.failed" | "voice_activity.completed" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "webhook.test" | "webhook.activated" | "webhook.failed" | "xapi_pipe.paused" | "user.*" | "course.*" | "learning_path.*" | "enrollment.*" | "class.*" | "registration.*" | "attendance.*" | "practice.*" | "requirement.*" | "reminder.*" | "certificate.*" | "assessment.*" | "voice_activity.*" | "api_key.*" | "webhook.*" | "xapi_pipe.*")[];
      description: string | null;
      active: boolean;
      failure_count: number;
      created_at: string;
    };
    EndpointCreate: {
      /**
       * HTTPS, port 443 or 8443, at a public address.
       */
      url: string;
      events: ("user.created" | "user.updated" | "user.suspended" | "user.reactivated" | "user.deleted" | "user.role_changed" | "course.created" | "course.updated" | "course.archived" | "course.rated" | "learning_path.assigned" | "learning_path.completed" | "enrollment.created" | "enrollment.started" | "enrollment.progress" | "enrollment.completed" | "enrollment.expired" | "enrollment.updated" | "enrollment.cancelled" | "enrollment.requested" | "class.created" | "class.updated" | "class.cancelled" | "registration.created" | "registration.waitlisted" | "registration.cancelled" | "attendance.recorded" | "practice.assessed" | "requirement.assigned" | "requirement.satisfied" | "requirement.overdue" | "requirement.released" | "reminder.sent" | "certificate.issued" | "certificate.revoked" | "certificate.expiring" | "assessment.attempted" | "assessment.passed" | "assessment.failed" | "voice_activity.completed" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "webhook.test" | "webhook.activated" | "webhook.failed" | "xapi_pipe.paused" | "user.*" | "course.*" | "learning_path.*" | "enrollment.*" | "class.*" | "registration.*" | "attendance.*" | "practice.*" | "requirement.*" | "reminder.*" | "certificate.*" | "assessment.*" | "voice_activity.*" | "api_key.*" | "webhook.*" | "xapi_pipe.*")[];
      description?: string | null;
      active?: boolean;
    };
    IssuedEndpointEnvelope: {
      data: components["schemas"]["IssuedEndpoint"];
    };
    /**
     * A webhook endpoint with its signing secret. The secret is returned only once.
     */
    IssuedEndpoint: {
      id: string;
      /**
       * HTTPS, port 443 or 8443, at a public address.
       */
      url: string;
      events: ("user.created" | "user.updated" | "user.suspended" | "user.reactivated" | "user.deleted" | "user.role_changed" | "course.created" | "course.updated" | "course.archived" | "course.rated" | "learning_path.assigned" | "learning_path.completed" | "enrollment.created" | "enrollment.started" | "enrollment.progress" | "enrollment.completed" | "enrollment.expired" | "enrollment.updated" | "enrollment.cancelled" | "enrollment.requested" | "class.created" | "class.updated" | "class.cancelled" | "registration.created" | "registration.waitlisted" | "registration.cancelled" | "attendance.recorded" | "practice.assessed" | "requirement.assigned" | "requirement.satisfied" | "requirement.overdue" | "requirement.released" | "reminder.sent" | "certificate.issued" | "certificate.revoked" | "certificate.expiring" | "assessment.attempted" | "assessment.passed" | "assessment.failed" | "voice_activity.completed" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "webhook.test" | "webhook.activated" | "webhook.failed" | "xapi_pipe.paused" | "user.*" | "course.*" | "learning_path.*" | "enrollment.*" | "class.*" | "registration.*" | "attendance.*" | "practice.*" | "requirement.*" | "reminder.*" | "certificate.*" | "assessment.*" | "voice_activity.*" | "api_key.*" | "webhook.*" | "xapi_pipe.*")[];
      description: string | null;
      active: boolean;
      failure_count: number;
      created_at: string;
      secret: string;
      previous_secret_expires_at?: string | null;
    };
    EndpointEnvelope: {
      data: components["schemas"]["Endpoint"];
    };
    EndpointUpdate: {
      /**
       * HTTPS, port 443 or 8443, at a public address.
       */
      url?: string;
      events?: ("user.created" | "user.updated" | "user.suspended" | "user.reactivated" | "user.deleted" | "user.role_changed" | "course.created" | "course.updated" | "course.archived" | "course.rated" | "learning_path.assigned" | "learning_path.completed" | "enrollment.created" | "enrollment.started" | "enrollment.progress" | "enrollment.completed" | "enrollment.expired" | "enrollment.updated" | "enrollment.cancelled" | "enrollment.requested" | "class.created" | "class.updated" | "class.cancelled" | "registration.created" | "registration.waitlisted" | "registration.cancelled" | "attendance.recorded" | "practice.assessed" | "requirement.assigned" | "requirement.satisfied" | "requirement.overdue" | "requirement.released" | "reminder.sent" | "certificate.issued" | "certificate.revoked" | "certificate.expiring" | "assessment.attempted" | "assessment.passed" | "assessment.failed" | "voice_activity.completed" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "webhook.test" | "webhook.activated" | "webhook.failed" | "xapi_pipe.paused" | "user.*" | "course.*" | "learning_path.*" | "enrollment.*" | "class.*" | "registration.*" | "attendance.*" | "practice.*" | "requirement.*" | "reminder.*" | "certificate.*" | "assessment.*" | "voice_activity.*" | "api_key.*" | "webhook.*" | "xapi_pipe.*")[];
      description?: string | null;
      active?: boolean;
    };
    DeliveryEnvelope: {
      data: components["schemas"]["Delivery"];
    };
    /**
     * The delivery of one event to one endpoint. `id` stays the same across retries.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    Delivery: {
      id: string;
      event_id: string;
      event_type: "user.created" | "user.updated" | "user.suspended" | "user.reactivated" | "user.deleted" | "user.role_changed" | "course.created" | "course.updated" | "course.archived" | "course.rated" | "learning_path.assigned" | "learning_path.completed" | "enrollment.created" | "enrollment.started" | "enrollment.progress" | "enrollment.completed" | "enrollment.expired" | "enrollment.updated" | "enrollment.cancelled" | "enrollment.requested" | "class.created" | "class.updated" | "class.cancelled" | "registration.created" | "registration.waitlisted" | "registration.cancelled" | "attendance.recorded" | "practice.assessed" | "requirement.assigned" | "requirement.satisfied" | "requirement.overdue" | "requirement.released" | "reminder.sent" | "certificate.issued" | "certificate.revoked" | "certificate.expiring" | "assessment.attempted" | "assessment.passed" | "assessment.failed" | "voice_activity.completed" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "webhook.test" | "webhook.activated" | "webhook.failed" | "xapi_pipe.paused";
      status: components["schemas"]["DeliveryStatus"];
      attempts: number;
      http_status: number | null;
      response_body: string | null;
      next_attempt_at: string | null;
      delivered_at: string | null;
      created_at: string;
      updated_at: string;
      attempt_log: (components["schemas"]["Attempt"])[];
    };
    DeliveryStatus: "DEAD_LETTER" | "DELIVERED" | "PENDING";
    /**
     * One attempt to deliver an event. `error` is set if there was no response. `response_body` holds the
     * first 16 KiB of the response.
     */
    Attempt: {
      number: number;
      at: string;
      http_status: number | null;
      error: string | null;
      duration_ms: number;
      response_body: string | null;
    };
    /**
     * A request to send past events again: those created from `since` on and before `until`. Without
     * `event_types`, all events that the endpoint subscribes to are sent.
     */
    ReplayCreate: {
      since: string;
      until: string;
      event_types?: ("user.created" | "user.updated" | "user.suspended" | "user.reactivated" | "user.deleted" | "user.role_changed" | "course.created" | "course.updated" | "course.archived" | "course.rated" | "learning_path.assigned" | "learning_path.completed" | "enrollment.created" | "enrollment.started" | "enrollment.progress" | "enrollment.completed" | "enrollment.expired" | "enrollment.updated" | "enrollment.cancelled" | "enrollment.requested" | "class.created" | "class.updated" | "class.cancelled" | "registration.created" | "registration.waitlisted" | "registration.cancelled" | "attendance.recorded" | "practice.assessed" | "requirement.assigned" | "requirement.satisfied" | "requirement.overdue" | "requirement.released" | "reminder.sent" | "certificate.issued" | "certificate.revoked" | "certificate.expiring" | "assessment.attempted" | "assessment.passed" | "assessment.failed" | "voice_activity.completed" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "webhook.test" | "webhook.activated" | "webhook.failed" | "xapi_pipe.paused" | "user.*" | "course.*" | "learning_path.*" | "enrollment.*" | "class.*" | "registration.*" | "attendance.*" | "practice.*" | "requirement.*" | "reminder.*" | "certificate.*" | "assessment.*" | "voice_activity.*" | "api_key.*" | "webhook.*" | "xapi_pipe.*")[] | null;
    };
    ReplayEnvelope: {
      data: components["schemas"]["Replay"];
    };
    /**
     * A replay of past events to one endpoint. `enqueued` is the number of events that are in the queue so
     * far.
     *
     * With `fields`, only the members that it names, and `id`.
     */
    Replay: {
      id: string;
      endpoint_id: string;
      since: string;
      until: string;
      event_types: ("user.created" | "user.updated" | "user.suspended" | "user.reactivated" | "user.deleted" | "user.role_changed" | "course.created" | "course.updated" | "course.archived" | "course.rated" | "learning_path.assigned" | "learning_path.completed" | "enrollment.created" | "enrollment.started" | "enrollment.progress" | "enrollment.completed" | "enrollment.expired" | "enrollment.updated" | "enrollment.cancelled" | "enrollment.requested" | "class.created" | "class.updated" | "class.cancelled" | "registration.created" | "registration.waitlisted" | "registration.cancelled" | "attendance.recorded" | "practice.assessed" | "requirement.assigned" | "requirement.satisfied" | "requirement.overdue" | "requirement.released" | "reminder.sent" | "certificate.issued" | "certificate.revoked" | "certificate.expiring" | "assessment.attempted" | "assessment.passed" | "assessment.failed" | "voice_activity.completed" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "webhook.test" | "webhook.activated" | "webhook.failed" | "xapi_pipe.paused" | "user.*" | "course.*" | "learning_path.*" | "enrollment.*" | "class.*" | "registration.*" | "attendance.*" | "practice.*" | "requirement.*" | "reminder.*" | "certificate.*" | "assessment.*" | "voice_activity.*" | "api_key.*" | "webhook.*" | "xapi_pipe.*")[] | null;
      enqueued: number;
      created_at: string;
      finished_at: string | null;
    };
    ReplayList: {
      data: (components["schemas"]["Replay"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
    DeliveryList: {
      data: (components["schemas"]["Delivery"])[];
      next_cursor: string | null;
      has_more: boolean;
      limit: number;
    };
  };
}
