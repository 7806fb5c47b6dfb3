/** The run changed after the command was prepared. */
export class Conflict extends Error {
  override readonly name = 'Overtaken'
}
