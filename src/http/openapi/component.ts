/** Key under which a response or a schema carries the name of its component until the document is finished. */
export const COMPONENT = 'x-component';

/** Key of a schema that takes any value; @nestjs/swagger needs a type until the document is finished. */
export const ANY = 'x-any';
