// placeholder until the first file of this library stands; delete it
