-- The HTML of an article, made once of each version of its text. `digest` is of the text and of the renderer's
-- version: another one means that it is to be made anew.
CREATE TABLE rendered_articles (
    tenant_id uuid NOT NULL,
    module_id uuid NOT NULL,
    digest    bytea NOT NULL,
    html      text NOT NULL,
    PRIMARY KEY (tenant_id, module_id),
    FOREIGN KEY (tenant_id, module_id) REFERENCES all_modules (tenant_id, id) ON DELETE CASCADE
);
CALL guard_tenant_table('rendered_articles', 'SELECT, INSERT, UPDATE, DELETE');
