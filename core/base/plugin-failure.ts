/**
 * What a plugin threw, or that it took too long, with its name: for logs and answers. An error that a plugin declares (a Fault) is
 * passed on as it is.
 */
export class PluginFailure extends Error {
  override readonly name = 'PluginFailure';
  readonly plugin: string;

  constructor(plugin: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.plugin = plugin;
  }

  /** @param thrown what it threw; it stays as the cause. */
  static of(plugin: string, thrown: unknown): PluginFailure {
    if (thrown instanceof PluginFailure) return thrown;
    return new PluginFailure(plugin, thrown instanceof Error ? thrown.message : 'it threw', {
      cause: thrown,
    });
  }
}
