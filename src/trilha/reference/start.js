// Asks no third party for anything: no validator badge, no fonts.
window.ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  tagsSorter: "alpha",
  validatorUrl: null,
});
