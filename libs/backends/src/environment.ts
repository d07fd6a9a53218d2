/** Environment variables as handed in by the program; libraries never read the process's own. */
export type Environment = Readonly<Record<string, string | undefined>>;
