import { Param, type PipeTransform } from '@nestjs/common';
import { idIn, idNumberIn, parseRupaId } from './validation.js';

/** An id that nothing has, so that a malformed id gets the response of an unknown one. */
const NO_ID = '00000000-0000-0000-0000-000000000000';
const NO_NUMBER = 0;

/** Takes a path parameter that is a Rupa ID, in lower case. A malformed one is 422. */
export function RupaIdParam(): ParameterDecorator {
  return Param('rupaId', pipe(parseRupaId));
}

/** Takes a path parameter that is an id of letters, digits and hyphens, such as a partner's. */
export function IdParam(name = 'id'): ParameterDecorator {
  return Param(
    name,
    pipe((text) => idIn(text) ?? NO_ID),
  );
}

/** Takes a path parameter that is the number of an endpoint or a delivery. */
export function NumberParam(name = 'id'): ParameterDecorator {
  return Param(
    name,
    pipe((text) => idNumberIn(text) ?? NO_NUMBER),
  );
}

/** Takes a path parameter of another form. @param parse returns the parameter's value, or throws ValidationFailed */
export function PathParam(name: string, parse: (text: string) => unknown): ParameterDecorator {
  return Param(name, pipe(parse));
}

function pipe(transform: (text: string) => unknown): PipeTransform<string> {
  return { transform };
}
