/** The statements for the pieces of long texts; used by `sqlite/long-texts.ts`. */
import { sql } from 'kysely'
import { rowsOf } from './rows.ts'
import { query, write } from './statement.ts'

interface TextKey {
  /** A run or a Deployment. */
  ownerId: string
  textId: string
}

export const insertLooseText = write((db, { ownerId, textId }: TextKey) =>
  db.insertInto('loose_texts').values({ owner_id: ownerId, text_id: textId }),
)

/** Marks the text as referenced by a row. */
export const bindText = rowsOf('loose_texts', 'owner_id', 'text_id').removeOne()

export const insertPiece = write((db, { ownerId, textId, number, body }: TextKey & { number: number; body: string }) =>
  db.insertInto('text_pieces').values({ owner_id: ownerId, text_id: textId, number, body }),
)

export const listPieces = query((db, values: TextKey) =>
  db
    .selectFrom('text_pieces')
    .select('body')
    .where('owner_id', '=', values.ownerId)
    .where('text_id', '=', values.textId)
    .orderBy('number'),
)

/** Marks the texts of a run or a Deployment as unreferenced. */
export const loosenTexts = write((db, values: { ownerId: string }) =>
  db
    .insertInto('loose_texts')
    .columns(['owner_id', 'text_id'])
    .expression(({ selectFrom }) =>
      selectFrom('text_pieces')
        .select(['owner_id', 'text_id'])
        .where('owner_id', '=', values.ownerId)
        .where('number', '=', 0),
    )
    // those that are being written, or that nothing has referred to yet
    .onConflict((conflict) => conflict.doNothing()),
)

/** Whether the text is unreferenced: it may have been committed since it was listed. */
const isLoose = ({ ownerId, textId }: TextKey) =>
  sql<boolean>`exists (select 1 from loose_texts where owner_id = ${ownerId} and text_id = ${textId})`

/** Finds a row if the text is unreferenced and has pieces. */
export const firstLoosePiece = query((db, values: TextKey) =>
  db
    .selectFrom('text_pieces')
    .select('piece_id')
    .where('owner_id', '=', values.ownerId)
    .where('text_id', '=', values.textId)
    .where(isLoose(values))
    .limit(1),
)

export const listLooseTexts = query((db, _: object) => db.selectFrom('loose_texts').selectAll().limit(1_000))

/** Deletes the last pieces of a text, if it is unreferenced. */
export const deleteLoosePieces = write((db, values: TextKey & { limit: number }) =>
  db
    .deleteFrom('text_pieces')
    .where(isLoose(values))
    .where('piece_id', 'in', ({ selectFrom }) =>
      selectFrom('text_pieces as last')
        .select('last.piece_id')
        .where('last.owner_id', '=', values.ownerId)
        .where('last.text_id', '=', values.textId)
        .orderBy('last.number', 'desc')
        .limit(values.limit),
    ),
)

/** Deletes the entry of a text whose pieces are all deleted. */
export const forgetLooseText = write((db, values: TextKey) =>
  db
    .deleteFrom('loose_texts')
    .where('owner_id', '=', values.ownerId)
    .where('text_id', '=', values.textId)
    .where(
      sql<boolean>`not exists (select 1 from text_pieces where owner_id = ${values.ownerId} and text_id = ${values.textId})`,
    ),
)
