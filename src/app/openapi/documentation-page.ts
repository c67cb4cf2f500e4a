/**
 * Returns the page at /docs. It has no inline scripts, because its Content-Security-Policy forbids them.
 * @param base relative path of its files, so that the page also works behind a proxy that adds a prefix
 */
export function documentationPage(base: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rupa farmer data sharing</title>
<link rel="stylesheet" href="${base}swagger-ui.css">
<link rel="icon" type="image/png" href="${base}favicon-32x32.png" sizes="32x32">
<link rel="icon" type="image/png" href="${base}favicon-16x16.png" sizes="16x16">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${base}swagger-ui-bundle.js"></script>
<script src="${base}start.js"></script>
</body>
</html>
`;
}

/** Starts Swagger UI. Without `validatorUrl: null` it would have an external service validate the document. */
export const START_SCRIPT = `SwaggerUIBundle({
  url: new URL('../docs-json', document.currentScript.src).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
});
`;
