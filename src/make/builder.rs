/// todo
pub struct Builder;
/// todo
pub struct Argument;
