import { type EntitySchema } from '@mikro-orm/core';

/** Returns the statements that create a read model's table and indexes in `schema`. */
export async function tableStatements(table: EntitySchema, schema: string): Promise<string> {
  // Loaded only here, because it takes long to load and most commands never create a table.
  const { MikroORM } = await import('@mikro-orm/postgresql');
  // The constructor, because `init` looks for other packages of MikroORM first, which takes longer than all the rest.
  const orm = new MikroORM({ entities: [table], schema, dbName: 'unused' });
  return await orm.schema.getCreateSchemaSQL({ wrap: false });
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly primary: boolean;
}

/** Returns the columns of a table in the order of its definition. */
export function columnsOf(table: EntitySchema): readonly Column[] {
  return Object.entries(table.meta.properties as Record<string, { columnType?: string; primary?: boolean }>).map(([name, property]) => ({
    name,
    type: property.columnType ?? 'text',
    primary: property.primary ?? false,
  }));
}

/** Returns the columns of a table's primary key, in their order. */
export function primaryOf(table: EntitySchema): readonly Column[] {
  return columnsOf(table).filter(({ primary }) => primary);
}
