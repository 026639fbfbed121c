// The page to try the API. Nothing is fetched but the description that this service gives of itself.
"use strict";

window.addEventListener("load", () => {
  window.SwaggerUIBundle({
    url: "/api/v1/openapi.json",
    dom_id: "#api",
    deepLinking: true,
    validatorUrl: null,
    persistAuthorization: false,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    tryItOutEnabled: false,
    presets: [window.SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
  });
});
